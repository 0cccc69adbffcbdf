"""Pages for this machine alone: how an application is served on loopback, and the wall around it.

It knows no application: `local` and `console` each bring their own.
"""

from legio.loopback.connection import connection
from legio.loopback.guard import LoopbackGuard
from legio.loopback.serving import serving

__all__ = ["LoopbackGuard", "connection", "serving"]
