"""What has to be remembered beside the record: names and values, one row each."""

from legio.praetorium import columns
from legio.praetorium.database import Database


class SqliteSettings:
    """The port `Settings` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, name: str) -> str | None:
        """1. The value of that name, or None."""
        rows = await self._database.rows("SELECT value FROM settings WHERE name = ?", (name,))
        return str(rows[0]["value"]) if rows else None

    async def put(self, name: str, value: str) -> None:
        """2. Writes it, over the one before."""
        await self._database.change(
            "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, columns.sound(value))
        )

    async def drop(self, name: str) -> None:
        """3. Forgets it; nothing, if it was not there."""
        await self._database.change("DELETE FROM settings WHERE name = ?", (name,))
