"""The composition root: everything is built, joined and taken down here.

deployment  one Legio to run, and what its parts are told of it
front       Telegram's side: how Caesar is reached
core        the legion: its memory, its sessions and its Legatus
door        what comes in, and the way that it takes
opening     the order in which all of it is opened and taken down
guarding    tasks that never end
"""

from legio.app.deployment import Deployment
from legio.app.guarding import guarded
from legio.app.opening import FLUSH_SECONDS, PATIENCE_SECONDS, inhabited, legion

__all__ = ["FLUSH_SECONDS", "PATIENCE_SECONDS", "Deployment", "guarded", "inhabited", "legion"]
