"""How a value stands in a column: times that sort as text, audiences as JSON, texts that SQLite accepts.

Pure. Which table has which columns is the schema's business.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime


def stamp(moment: datetime) -> str:
    """ISO 8601 in UTC with six digits of microseconds: of one width, so that text order is time order."""
    if moment.tzinfo is None:
        raise ValueError(f"a time without a zone cannot be recorded: {moment}")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(stamped: str) -> datetime:
    """The aware time in UTC that `stamp` wrote."""
    return datetime.fromisoformat(stamped)


def audience_column(audience: Sequence[str]) -> str:
    """The names as a JSON array without spaces."""
    return json.dumps(list(audience), ensure_ascii=False, separators=(",", ":"))


def audience(column: str) -> tuple[str, ...]:
    """The names that `audience_column` wrote."""
    return tuple(json.loads(column))


def sound(text: str) -> str:
    """`text` as UTF-8 can hold it: surrogate pairs joined, a lone surrogate replaced by U+FFFD.

    A model's answer that was cut inside an escape can bring one, and SQLite would refuse the whole row: the
    turn could then never end.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
