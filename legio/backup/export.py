"""An export as a file, line by line."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from legio.errors import LegioError, Refused


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
