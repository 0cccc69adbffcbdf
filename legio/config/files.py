"""The rules for what has to do with files: which media types are taken, and the command that hears sound."""

import re
import shlex
from dataclasses import dataclass

from legio.config.rules import Text, Wrong, unexpected

_TYPE = re.compile(r"(\*|[a-z]+)/(\*|[a-z0-9][a-z0-9.+-]*\*?)")
_FILE = "{file}"


@dataclass(frozen=True, slots=True)
class MediaTypes:
    """Patterns of media types with spaces between them."""

    @property
    def name(self) -> str:
        """What they look like."""
        return 'media types such as "image/* text/* application/pdf"'

    def read(self, raw: object) -> str | Wrong:
        """The patterns with one space between them."""
        if not isinstance(raw, str) or not raw.split():
            return unexpected(self, raw)
        wrong = [word for word in raw.split() if not _TYPE.fullmatch(word)]
        if wrong:
            return Wrong(f"'{wrong[0][:60]}' is no media type.", f"Expected is {self.name}.")
        return " ".join(raw.split())


@dataclass(frozen=True, slots=True)
class FileCommand:
    """A command that is given one file."""

    @property
    def name(self) -> str:
        """What it looks like."""
        return 'a command with {file} in it, such as "whisper-cli {file}"'

    def read(self, raw: object) -> str | Wrong:
        """The command as it was written; no shell will read it."""
        text = Text(1000).read(raw)
        if isinstance(text, Wrong):
            return unexpected(self, raw)
        try:
            words = shlex.split(text)
        except ValueError:
            return Wrong("a quotation mark in it is not closed.", "Close it.")
        if not any(_FILE in word for word in words[1:]):
            return Wrong("it does not say where the file's path belongs.", f"Expected is {self.name}.")
        return text
