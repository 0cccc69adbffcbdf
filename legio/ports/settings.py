"""What has to be remembered over a restart and is no part of the record: Caesar's choices, Legio's marks."""

from typing import Protocol


class Settings(Protocol):
    """Names with a value each, as plain text. What a value means is for whoever named it to say."""

    async def get(self, name: str) -> str | None:
        """1. The value of that name, or None."""

    async def put(self, name: str, value: str) -> None:
        """2. Writes it, over the one before."""

    async def drop(self, name: str) -> None:
        """3. Forgets it; nothing, if it was not there."""
