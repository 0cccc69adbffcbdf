"""Where the owner lives: the time zone that all he reads and writes of times goes by.

It is the configured one, else the machine's, as far as that has a name: a container often has none, and its
times are UTC then, which is said. Rules of zones come with the program where the machine has none.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

ROOT = Path("/")
_FOLDER = "zoneinfo/"
"""What stands before a zone's name in the path that the machine's clock is set by."""


@dataclass(frozen=True, slots=True)
class Home:
    """The zone, and a sentence on where it was found."""

    zone: ZoneInfo
    found: str


def home(configured: str | None, environ: Mapping[str, str] = os.environ, root: Path = ROOT) -> Home:
    """The owner's zone. Raises nothing: what cannot be used on the machine is passed over for UTC."""
    if configured is not None and (zone := zone_of(configured)):
        return Home(zone, f"{configured}, as configured.")
    for where, name in _named(environ, root):
        if zone := zone_of(name):
            return Home(zone, f"{name}, by {where}; `timezone` in legio.toml names another.")
    said = "UTC, as this machine names none; if you live elsewhere, set `timezone` in legio.toml."
    return Home(ZoneInfo("UTC"), said)


def zone_of(name: str) -> ZoneInfo | None:
    """The zone of that IANA name, such as "Europe/Zurich"; None for any other text."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such zone, no name at all, or the name of a folder
        return None


def _named(environ: Mapping[str, str], root: Path) -> list[tuple[str, str]]:
    """Where a zone is named, and how, best first; a name may be anything."""
    return [
        (where, name)
        for where, name in (
            ("TZ", environ.get("TZ", "").removeprefix(":").rpartition(_FOLDER)[2]),
            ("/etc/localtime", _linked(root / "etc/localtime")),
            ("/etc/timezone", _written(root / "etc/timezone")),
        )
        if name
    ]


def _linked(path: Path) -> str:
    try:
        return str(path.readlink()).rpartition(_FOLDER)[2]
    except OSError:
        return ""


def _written(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""


# --- the two ways between the wall clock and an instant -----------------------------------------------


def local(instant: datetime, zone: ZoneInfo) -> datetime:
    """What the wall clock shows at `instant`, without a zone."""
    return instant.astimezone(zone).replace(tzinfo=None)


def instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """The instant in UTC at which the wall clock shows `wall`, which has no zone.

    Where the clock is set back and shows it twice it is the first time; where the clock is set forward and
    never shows it, it is the first instant after.
    """
    shown = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if local(shown, zone) == wall:
        return shown
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return _leap(before, shown, zone)


def _leap(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The first instant of the offset that holds at `after` and did not at `before`, to the second."""
    offset = after.astimezone(zone).utcoffset()
    low, high = int(before.timestamp()), int(after.timestamp())
    while low < high:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset:
            high = middle
        else:
            low = middle + 1
    return datetime.fromtimestamp(high, UTC)
