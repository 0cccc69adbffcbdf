"""The SQLite gate: the only importer of `aiosqlite`; it implements the ports of the record."""

from legio.praetorium.store import Praetorium, open_praetorium

__all__ = ["Praetorium", "open_praetorium"]
