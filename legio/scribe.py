"""What was said, written out: for other programs as JSON Lines, for people as Markdown. Pure.

A form is made anew for each writing and given one nuntius after another, so that any number of them can be
written without holding more than one.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, date, tzinfo
from typing import Final

from legio.nuntius import Attachment, Nuntius

Form = Callable[[Nuntius], str]
"""What is written for the next nuntius."""


def jsonl(_: tzinfo = UTC) -> Form:
    """One JSON object a line, with every field; its times are in UTC wherever somebody lives."""

    def line(nuntius: Nuntius) -> str:
        fields = {**asdict(nuntius), "timestamp": nuntius.timestamp.isoformat()}
        return json.dumps(fields, ensure_ascii=False) + "\n"

    return line


def markdown(zone: tzinfo = UTC) -> Form:
    """A heading a day, and under it who said what to whom; a text stands as a quote, never as more."""
    shown: date | None = None

    def entry(nuntius: Nuntius) -> str:
        nonlocal shown
        day = nuntius.timestamp.astimezone(zone).date()
        heading = "" if day == shown else f"## {day.isoformat()}\n\n"
        shown = day
        return heading + _entry(nuntius, zone)

    return entry


FORMS: Final[dict[str, Callable[[tzinfo], Form]]] = {"jsonl": jsonl, "markdown": markdown}


def _entry(nuntius: Nuntius, zone: tzinfo) -> str:
    reply = "" if nuntius.reply_to is None else f", in reply to {_short(nuntius.reply_to)}"
    head = f"**{nuntius.sender} → {', '.join(nuntius.audience)}**"
    when = f"{nuntius.timestamp.astimezone(zone):%H:%M:%S %Z}, {_short(nuntius.id)}{reply}"
    said = [*nuntius.text.splitlines(), *map(_file, nuntius.attachments)]
    quoted = "\n".join(f"> {line}".rstrip() for line in said)
    return f"{head} ({when})\n\n{quoted}\n\n"


def _file(attachment: Attachment) -> str:
    """Where a file is, or why it is not there, on one line whatever its sender named it."""
    return f"📎 {' '.join(attachment.name.split())}: {attachment.path or attachment.note}"


def _short(identity: str) -> str:
    return identity[:8]
