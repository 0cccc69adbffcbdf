"""What keeps Caesar's things safe from their machine: backups, made while Legio works; and exports."""

from legio.backup import export
from legio.backup.archive import Archive, Source, make, place
from legio.backup.nightly import Nightly
from legio.backup.restoring import Restored, restore

__all__ = ["Archive", "Nightly", "Restored", "Source", "export", "make", "place", "restore"]
