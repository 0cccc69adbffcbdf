"""The one table of all commands, and how a line that Caesar wrote is run by it."""

import contextlib
from datetime import datetime

from legio.bot.commands.camp import CampCommands
from legio.bot.commands.command import Command
from legio.bot.commands.conduct import ConductCommands
from legio.bot.commands.console import ConsoleCommands
from legio.bot.commands.memory import MemoriaCommands
from legio.bot.commands.money import MoneyCommands
from legio.bot.commands.record import RecordCommands
from legio.bot.commands.search import SearchCommands
from legio.bot.commands.seeing import SeeingCommands
from legio.bot.commands.standing import StandingCommands
from legio.bot.commands.tuning import TuningCommands
from legio.bot.desk import Call, Desk, Misused, Reply
from legio.errors import LegioError


class Commands:
    """The table, and how a line is run by it."""

    def __init__(self, desk: Desk) -> None:
        self.table = (
            Command("help", "", "All commands", self._help),
            *CampCommands(desk).table,
            *ConductCommands(desk).table,
            *RecordCommands(desk).table,
            *SearchCommands(desk).table,
            *SeeingCommands(desk).table,
            *MoneyCommands(desk).table,
            *TuningCommands(desk).table,
            *MemoriaCommands(desk).table,
            *StandingCommands(desk).table,
            *ConsoleCommands(desk).table,
        )
        self._by_name = {command.name: command for command in self.table}

    async def run(
        self,
        line: str,
        *,
        reply_to: int | None = None,
        update_id: int | None = None,
        sent: datetime | None = None,
    ) -> Reply:
        """Run `/name[@bot] words`; whatever is wrong with it comes back as the reply.

        `reply_to` is Telegram's id of the message that the line replied to, `update_id` of the update that
        brought it; `sent` is when he sent it.
        """
        name, words = _read(line)
        command = self._by_name.get(name)
        if command is None:
            return Reply(f"There is no command /{name}. /help shows them all.")
        try:
            return await command.run(Call(words, reply_to, update_id, sent))
        except LegioError as error:
            return Reply(f"{error}\n\nUsage: {command.usage}" if isinstance(error, Misused) else str(error))

    def hasten(self, line: str, update_id: int) -> None:
        """Do at once, before it is its turn, what the command does not leave for then. Never raises."""
        name, words = _read(line)
        command = self._by_name.get(name)
        if command is not None and command.hasten is not None:
            with contextlib.suppress(LegioError):  # it is said when it is its turn
                command.hasten(Call(words, update_id=update_id))

    async def _help(self, _: Call) -> Reply:
        return Reply("\n".join(f"{command.usage} — {command.meaning}" for command in self.table))


def _read(line: str) -> tuple[str, str]:
    """The command's name, and the words behind it."""
    head, _, rest = line.partition(" ")
    first, _, more = head.partition("\n")
    name = first.removeprefix("/").partition("@")[0].lower()
    return name, f"{more} {rest}".strip() if more else rest.strip()
