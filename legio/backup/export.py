"""All that was said, for other programs as JSON Lines and for people as Markdown, one nuntius at a time."""

import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from legio.errors import LegioError, Refused
from legio.nuntius import Attachment, Nuntius


def jsonl(nuntii: Iterable[Nuntius]) -> Iterator[str]:
    """One JSON object a line, with every field."""
    for nuntius in nuntii:
        fields = {**asdict(nuntius), "timestamp": nuntius.timestamp.isoformat()}
        yield json.dumps(fields, ensure_ascii=False) + "\n"


def markdown(nuntii: Iterable[Nuntius]) -> Iterator[str]:
    """A heading a day, and under it who said what to whom; a text stands as a quote, never as more."""
    day = None
    for nuntius in nuntii:
        if nuntius.timestamp.date() != day:
            day = nuntius.timestamp.date()
            yield f"## {day.isoformat()}\n\n"
        yield _entry(nuntius)


FORMATS: Final[dict[str, Callable[[Iterable[Nuntius]], Iterator[str]]]] = {
    "jsonl": jsonl,
    "markdown": markdown,
}


def write(lines: Iterable[str], path: Path) -> None:
    """Write to the new file `path`, which appears whole or not at all and is the owner's alone to read."""
    if path.exists():
        raise Refused("there is a file of this name already.", where=str(path), remedy="Name another.")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.draft")
    try:
        with os.fdopen(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            file.writelines(lines)
        draft.rename(path)
    except OSError as error:
        raise LegioError(
            f"this cannot be written ({error.strerror}).", where=str(path), remedy="Name another place."
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _entry(nuntius: Nuntius) -> str:
    reply = "" if nuntius.reply_to is None else f", in reply to {_short(nuntius.reply_to)}"
    head = f"**{nuntius.sender} → {', '.join(nuntius.audience)}**"
    when = f"{nuntius.timestamp:%H:%M:%S} UTC, {_short(nuntius.id)}{reply}"
    said = [*nuntius.text.splitlines(), *map(_file, nuntius.attachments)]
    quoted = "\n".join(f"> {line}".rstrip() for line in said)
    return f"{head} ({when})\n\n{quoted}\n\n"


def _file(attachment: Attachment) -> str:
    """Where a file is, or why it is not there, on one line whatever its sender named it."""
    return f"📎 {' '.join(attachment.name.split())}: {attachment.path or attachment.note}"


def _short(identity: str) -> str:
    return identity[:8]
