"""What was said, by its words: the first page of it. The other pages are turned by their buttons."""

from legio.bot.commands.command import Command
from legio.bot.desk import Call, Desk, Misused, Reply


class SearchCommands:
    """What Caesar looks for in the praetorium."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.table = (
            Command(
                "search",
                "<words> [@name] [since:2026-11-01]",
                "Look for what was said; tap a number to quote it",
                self._search,
            ),
        )

    async def _search(self, call: Call) -> Reply:
        if not call.words:
            raise Misused("at least one word to look for is needed.")
        page = await self._desk.sight.pages.first(call.words)
        return Reply(page.text, shown=page)
