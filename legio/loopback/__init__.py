"""Pages for this machine alone: how an application is served on loopback, and the wall around it.

It knows no application: `local` and `console` each bring their own.
"""

from legio.loopback.connection import connection
from legio.loopback.guard import LoopbackGuard, foreign, on_loopback, strictly
from legio.loopback.serving import ENDING, LOOPBACK, base_url, serving

__all__ = [
    "ENDING",
    "LOOPBACK",
    "LoopbackGuard",
    "base_url",
    "connection",
    "foreign",
    "on_loopback",
    "serving",
    "strictly",
]
