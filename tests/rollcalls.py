"""What a roll-call looks like, for tests that count answers: it comes only when something takes its time."""

import re

_NAME = r"[a-z][a-z0-9_-]{0,31}"
_BEGINNING = re.compile(
    rf"⏳ {_NAME} |✅ {_NAME} \d+ (s|min|h)\b|[⛔⏸] {_NAME} |⏹ {_NAME} stopped|⌛ {_NAME} expired"
)


def is_roll_call(text: str) -> bool:
    """Whether a message with this text is a roll-call, standing or folded, and nothing that is owed."""
    return _BEGINNING.match(text) is not None
