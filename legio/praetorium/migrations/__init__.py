"""The tables, as numbered migrations; the number stands in the file's `user_version`.

A migration that has landed is never changed: the next one is added below it, in a module of its own. What the
rows mean to the core is said by the ports.
"""

from legio.praetorium.migrations.attachments import ATTACHMENTS
from legio.praetorium.migrations.corrections import CORRECTIONS
from legio.praetorium.migrations.feed import FEED
from legio.praetorium.migrations.marks import MARKS
from legio.praetorium.migrations.migration import Migration
from legio.praetorium.migrations.money import MONEY
from legio.praetorium.migrations.pipeline import APPLICATION_ID, PIPELINE
from legio.praetorium.migrations.recovery import RECOVERY
from legio.praetorium.migrations.rollcalls import ROLL_CALLS
from legio.praetorium.migrations.seeing import SEEING
from legio.praetorium.migrations.standing import STANDING

__all__ = ["APPLICATION_ID", "MIGRATIONS", "Migration"]

MIGRATIONS = (
    PIPELINE,
    RECOVERY,
    MARKS,
    ATTACHMENTS,
    MONEY,
    ROLL_CALLS,
    STANDING,
    SEEING,
    CORRECTIONS,
    FEED,
)
"""All of them, by number."""
