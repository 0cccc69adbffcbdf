"""Which status messages stand in the chat; what they show is the bot's business."""

import sqlite3

from legio.nuntius import CAESAR, TurnState
from legio.ports import Called, Standing
from legio.praetorium.database import Database

_TURNS = """
    SELECT turns.id, turns.agent, turns.state, turns.seconds, nuntii.sender
    FROM turns JOIN nuntii ON nuntii.seq = turns.nuntius
    WHERE turns.root = ? ORDER BY turns.id
"""


class SqliteRollCalls:
    """The port `RollCalls` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def stands(self, message: int, root: int) -> None:
        """1. Telegram's `message` shows the turns under the nuntius of seq `root`."""
        await self._database.change(
            "INSERT OR REPLACE INTO roll_calls (message, root) VALUES (?, ?)", (message, root)
        )

    async def folded(self, message: int) -> None:
        """2. It will not be changed any more, or is gone. Does nothing for one that does not stand."""
        await self._database.change("DELETE FROM roll_calls WHERE message = ?", (message,))

    async def standing(self) -> tuple[Standing, ...]:
        """3. All that stand, oldest first, with their turns in the order in which they were given."""
        return await self._database.read(_standing)


def _standing(connection: sqlite3.Connection) -> tuple[Standing, ...]:
    rows = connection.execute("SELECT message, root FROM roll_calls ORDER BY message").fetchall()
    return tuple(Standing(row["message"], row["root"], _called(connection, row["root"])) for row in rows)


def _called(connection: sqlite3.Connection, root: int) -> tuple[Called, ...]:
    return tuple(
        Called(
            turn=row["id"],
            agent=row["agent"],
            state=TurnState(row["state"]),
            asked=row["sender"] == CAESAR,
            seconds=row["seconds"] or 0.0,
        )
        for row in connection.execute(_TURNS, (root,))
    )
