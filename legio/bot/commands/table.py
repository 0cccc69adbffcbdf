"""The one table of all commands, and how a line that Caesar wrote is run by it."""

from legio.bot.commands.camp import CampCommands
from legio.bot.commands.command import Command
from legio.bot.commands.conduct import ConductCommands
from legio.bot.commands.memory import MemoriaCommands
from legio.bot.commands.record import RecordCommands
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
            *MemoriaCommands(desk).table,
        )
        self._by_name = {command.name: command for command in self.table}

    async def run(self, line: str, *, reply_to: int | None = None) -> Reply:
        """Run `/name[@bot] words`; whatever is wrong with it comes back as the reply.

        `reply_to` is Telegram's id of the message that the line replied to.
        """
        head, _, rest = line.partition(" ")
        first, _, more = head.partition("\n")
        name = first.removeprefix("/").partition("@")[0].lower()
        command = self._by_name.get(name)
        if command is None:
            return Reply(f"There is no command /{name}. /help shows them all.")
        words = f"{more} {rest}".strip() if more else rest.strip()
        try:
            return await command.run(Call(words, reply_to))
        except LegioError as error:
            return Reply(f"{error}\n\nUsage: {command.usage}" if isinstance(error, Misused) else str(error))

    async def _help(self, _: Call) -> Reply:
        return Reply("\n".join(f"{command.usage} — {command.meaning}" for command in self.table))
