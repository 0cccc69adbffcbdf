"""A file's name as it may stand in the castra. Pure.

Whoever sent a file named it, and may have meant harm: a name is never taken for a path, hides nothing and
ends in time. What was meant is kept beside it, in the record.
"""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Final

FALLBACK: Final = "file"
_STEM_BYTES: Final = 80
_SUFFIX_CHARACTERS: Final = 12
_UNFIT: Final = re.compile(r"[^\w.-]+")


def safe_name(name: str) -> str:
    """`name` with letters, digits, dots, dashes and underscores alone; never hidden, never empty."""
    plain = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    last = re.split(r"[/\\]", plain)[-1]
    cleaned = _UNFIT.sub("_", last).strip("._-")
    suffix = PurePosixPath(cleaned).suffix[:_SUFFIX_CHARACTERS]
    stem = cleaned.removesuffix(PurePosixPath(cleaned).suffix)
    shortened = stem.encode()[:_STEM_BYTES].decode("utf-8", "ignore")
    return f"{shortened or FALLBACK}{suffix}"
