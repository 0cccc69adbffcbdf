"""Which agents exist: the castra's prompts, read as profiles, and the folders that hold them."""

from legio.roster.former import Former, former_prompts
from legio.roster.profile import Flaw, Profile, examine
from legio.roster.register import Roster

__all__ = ["Flaw", "Former", "Profile", "Roster", "examine", "former_prompts"]
