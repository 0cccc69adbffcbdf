"""The camp: who is there, how it is, and who comes and goes."""

from legio import __version__
from legio.bot.commands.command import Command
from legio.bot.commands.words import centurio, folded
from legio.bot.desk import Call, Desk, Misused, Reply
from legio.legatus import HELD


class CampCommands:
    """What Caesar asks of the whole camp."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.table = (
            Command("start", "", "What Legio is, and how to begin", self._start),
            Command("status", "", "Who is doing what, and whether anything is left unanswered", self._status),
            Command("list", "", "The centuriones", self._list),
            Command("create", "<name> <specialization>", "Recruit a centurio", self._create),
            Command("remove", "<name>", "Dismiss a centurio (asks first)", self._remove),
            Command("version", "", "Which Legio this is", self._version),
        )

    async def _start(self, _: Call) -> Reply:
        names = ", ".join(f"@{name}" for name in self._desk.roster.names())
        return Reply(
            "Ave Caesar. This is Legio.\n\nWrite, and the Legatus answers. Write @name to address a centurio,"
            f" several to address several, @all for everyone. Here are: {names or 'no centuriones yet'}.\n\n"
            "Reply to a message to speak to whoever sent it. /help shows the commands."
        )

    async def _status(self, _: Call) -> Reply:
        tally = await self._desk.turns.tally()
        rows = []
        for status in (self._desk.legatus.own_status(), *self._desk.legatus.status()):
            more = f", {status.waiting} waiting" if status.waiting else ""
            since = f" for {status.seconds} s" if status.state != "asleep" else ""
            state = "waiting for your word on the budget" if status.state == HELD else status.state
            rows.append(f"{status.name}: {state}{since}{more}")
        law = (
            f"Turns: {tally.received} received = {tally.answered} answered + {tally.failed} failed"
            f" + {tally.stopped} stopped + {tally.expired} expired + {tally.pending} pending"
        )
        alarm = "" if tally.holds else "\n⚠️ These do not add up: run `legio doctor`."
        stuck = ["⚠️ Some messages never reached you: /undelivered."] if await self._stuck() else []
        broken = [f"⚠️ {sentence}" for sentence in self._desk.roster.broken()]
        return Reply("\n".join([*rows, "", law + alarm, *stuck, *broken]))

    async def _list(self, _: Call) -> Reply:
        rows = [f"@{profile.name} — {profile.description}" for profile in self._desk.roster.centuriones()]
        wrong = (*self._desk.roster.broken(), *self._desk.roster.doubts())
        broken = [f"⚠️ {sentence}" for sentence in wrong]
        return Reply("\n".join([*rows, *broken]) or "There are no centuriones. /create recruits one.")

    async def _create(self, call: Call) -> Reply:
        name, _, specialization = call.words.partition(" ")
        if not specialization.strip():
            raise Misused("a name and a specialization are needed.")
        return Reply(await self._desk.recruiting.create(folded(name), specialization))

    async def _remove(self, call: Call) -> Reply:
        name = centurio(self._desk.roster, call.words)
        buttons = self._desk.decisions.offer(self._desk.recruiting.removal(name))
        return Reply(f"Remove {name}? His files are kept in centuriones/.removed.", buttons)

    async def _version(self, _: Call) -> Reply:
        return Reply(f"Legio {__version__}")

    async def _stuck(self) -> bool:
        return bool(await self._desk.ledger.undelivered())
