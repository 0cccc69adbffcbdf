"""The way to the console's page, told in the chat."""

from legio.bot.commands.command import Command
from legio.bot.desk import Call, Desk, Reply


class ConsoleCommands:
    """What Caesar asks of the console."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.table = (Command("console", "", "The way to the console in a browser", self._console),)

    async def _console(self, _: Call) -> Reply:
        return Reply(await self._desk.invitation())
