"""The tables, as numbered migrations; the number stands in the file's `user_version`.

A migration that has landed is never changed: the next one is added below it, in a module of its own. What the
rows mean to the core is said by the ports.
"""

from legio.praetorium.migrations.marks import MARKS
from legio.praetorium.migrations.migration import Migration
from legio.praetorium.migrations.pipeline import APPLICATION_ID, PIPELINE
from legio.praetorium.migrations.recovery import RECOVERY

__all__ = ["APPLICATION_ID", "MIGRATIONS", "Migration"]

MIGRATIONS = (PIPELINE, RECOVERY, MARKS)
"""All of them, by number."""
