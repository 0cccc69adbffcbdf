"""Standing work and quiet hours: what is said or done later, and when no phone rings."""

import re

from legio.bot.commands.command import Command
from legio.bot.desk import Call, Desk, Misused, Reply
from legio.nuntius import CAESAR
from legio.ports import Work
from legio.standing.quiet import hours
from legio.standing.reader import EXAMPLES
from legio.standing.scheduler import URGENT
from legio.standing.standing import Order
from legio.standing.tools import listed, restore, undo

_ME = re.compile(r"^me\s+", re.IGNORECASE)
_JOINT = re.compile(r"^(?:to|that)\s+", re.IGNORECASE)


class StandingCommands:
    """What Caesar sets up for later."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._standing = desk.standing
        self.table = (
            Command("remind", "<when> <text>", "Be reminded, once or every …", self._remind),
            Command(
                "schedule",
                "[when] [text]",
                "Have a task done later, or every …; alone: what stands",
                self._schedule,
            ),
            Command("unschedule", "<number>", "Take away what stands under that number", self._unschedule),
            Command(
                "quiet", "[hours]", "The hours in which messages come silently; off ends them", self._quiet
            ),
        )

    async def _remind(self, call: Call) -> Reply:
        if not call.words:
            raise Misused(f"when, and of what? {EXAMPLES}")
        when, text = self._standing.read(_ME.sub("", call.words), call.sent)
        return await self._set_up(Order(Work.REMINDER, _JOINT.sub("", text), when, CAESAR, call.update_id))

    async def _schedule(self, call: Call) -> Reply:
        if not call.words:
            return await self._list()
        when, text = self._standing.read(call.words, call.sent)
        return await self._set_up(Order(Work.TASK, text, when, CAESAR, call.update_id))

    async def _set_up(self, order: Order) -> Reply:
        made = await self._standing.set_up(order)
        said = [self._standing.said(made), f"{made.work.capitalize()} {made.number}: {made.text}"]
        if self._silently(order):
            said.append(
                f"It falls into your quiet hours and comes silently; begin it with {URGENT} to let it ring."
            )
        return Reply("\n".join(said), undo(self._standing, self._desk.decisions, made))

    def _silently(self, order: Order) -> bool:
        if order.work is Work.TASK or order.text.startswith(URGENT):
            return False
        return self._desk.quiet.at(order.when.due)

    async def _list(self) -> Reply:
        rows = [listed(self._standing, each) for each in await self._standing.all()]
        if not rows:
            return Reply(f"Nothing stands. It is {self._standing.now}.\n\n{EXAMPLES}")
        return Reply(
            "\n\n".join([*rows, f"It is {self._standing.now}. /unschedule <number> takes one away."])
        )

    async def _unschedule(self, call: Call) -> Reply:
        if not call.words.isdecimal():
            raise Misused("a number is needed; /schedule shows them.")
        ended = await self._standing.end(int(call.words))
        said = f"{ended.work.capitalize()} {ended.number} is taken away: {ended.text}"
        return Reply(said, restore(self._standing, self._desk.decisions, ended))

    async def _quiet(self, call: Call) -> Reply:
        quiet = self._desk.quiet
        match call.words.lower():
            case "":
                pass
            case "off":
                await quiet.set(None)
            case words:
                await quiet.set(hours(words))
        if quiet.hours is None:
            return Reply("There are no quiet hours. /quiet 22:00-07:00 sets them.")
        now = "It is quiet now" if quiet.now() else "It is not quiet now"
        return Reply(
            f"Messages come silently {quiet.hours} {self._standing.zone.key}. {now}: {self._standing.now}."
            f" What rings all the same is a reminder that begins with {URGENT}."
        )
