"""One step of the schema, as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its statements run in one transaction with the change of `user_version`."""

    number: int
    statements: tuple[str, ...]
