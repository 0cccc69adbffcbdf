"""A Messages API server on loopback whose scripted recruit answers, for use without any account.

Reading order: request (the wire), conversation (what it means), recruit and acts (the rules), script (what
shall be done), stream and performance (how it is done), state and api (the server).
"""

from legio.local.model.api import create_app, model_server
from legio.local.model.recruit import RULES, help_text
from legio.local.model.request import ModelRequest
from legio.local.model.script import Answer, Ending, Failure, Retried, Script, Silence, ToolUse, Verbatim
from legio.local.model.state import ModelState, Outcome

__all__ = [
    "RULES",
    "Answer",
    "Ending",
    "Failure",
    "ModelRequest",
    "ModelState",
    "Outcome",
    "Retried",
    "Script",
    "Silence",
    "ToolUse",
    "Verbatim",
    "create_app",
    "help_text",
    "model_server",
]
