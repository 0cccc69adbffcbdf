"""The record: what was said, which way it took, and what never arrived."""

from zoneinfo import ZoneInfo

from legio.bot import ways
from legio.bot.commands.command import Command
from legio.bot.commands.words import agent, folded
from legio.bot.desk import Call, Desk, Reply
from legio.nuntius import CAESAR, Nuntius

HISTORY = 10
MOST_HISTORY = 100


class RecordCommands:
    """What Caesar asks of the praetorium."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.table = (
            Command("history", "[n] [@name]", "The last messages, or those of one sender", self._history),
            Command("why", "", "In reply to an answer: the way it took, and its cost", self._why),
            Command("undelivered", "", "What never reached you; send it again", self._undelivered),
        )

    async def _history(self, call: Call) -> Reply:
        count, sender = HISTORY, None
        for word in call.words.split():
            if word.isdecimal():
                count = max(1, min(MOST_HISTORY, int(word)))
            else:
                sender = CAESAR if folded(word) == CAESAR else agent(self._desk.roster, word)
        found = await self._desk.nuntii.latest(CAESAR, count, sender=sender)
        lines = (_line(nuntius, self._desk.standing.zone) for nuntius in found)
        return Reply("\n\n".join(lines) or "Nothing has been said yet.")

    async def _why(self, call: Call) -> Reply:
        return await ways.why(self._desk.ledger, call)

    async def _undelivered(self, _: Call) -> Reply:
        return await ways.undelivered(self._desk.ledger, self._desk.decisions, self._desk.messenger)


def _line(nuntius: Nuntius, zone: ZoneInfo) -> str:
    to = ", ".join(nuntius.audience)
    origin = f" ({nuntius.origin})" if nuntius.origin else ""
    return f"{nuntius.timestamp.astimezone(zone):%m-%d %H:%M} {nuntius.sender} → {to}{origin}\n{nuntius.text}"
