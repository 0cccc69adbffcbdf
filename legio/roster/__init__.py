"""Which agents exist: the castra's prompts, read as profiles, and the folders that hold them."""

from legio.roster.profile import Profile
from legio.roster.register import Roster

__all__ = ["Profile", "Roster"]
