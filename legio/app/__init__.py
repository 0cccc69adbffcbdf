"""The composition root: everything is built, joined and taken down here.

deployment  one Legio to run, and what its parts are told of it
front       Telegram's side: how Caesar is reached
core        the legion: its memory, its sessions and its Legatus
page        the page: its rooms, and the way in
door        what comes in, and the way that it takes
opening     the order in which all of it is opened and taken down
guarding    tasks that never end
"""

from legio.app.deployment import Chat, Deployment
from legio.app.guarding import guarded
from legio.app.opening import FLUSH_SECONDS, PATIENCE_SECONDS, Running, inhabited, legion
from legio.app.page import Site

__all__ = [
    "FLUSH_SECONDS",
    "PATIENCE_SECONDS",
    "Chat",
    "Deployment",
    "Running",
    "Site",
    "guarded",
    "inhabited",
    "legion",
]
