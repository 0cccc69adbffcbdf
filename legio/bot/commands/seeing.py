"""What is behind an agent, and who sees a message: thread, context, money, memory; told, or not yet."""

from collections.abc import Sequence
from datetime import datetime

from legio import context
from legio.bot.commands.command import Command
from legio.bot.commands.words import agent, leave
from legio.bot.desk import Call, Desk, Misused, Reply
from legio.decisions import Choice
from legio.errors import LegioError
from legio.nuntius import LEGATUS, Nuntius, viewers, visible
from legio.ports import Thread
from legio.survey import ASLEEP, Condition
from legio.tuning import Dial

BAR_BLOCKS = 10
NEVER = "never"


class SeeingCommands:
    """What Caesar looks at."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sight = desk.sight
        self._survey = desk.survey
        self.table = (
            Command(
                "session", "[@name]", "An agent's thread, context, memory and cost; or all", self._session
            ),
            Command(
                "whosees", "", "In reply to a message: who may see it, and who has been told", self._whosees
            ),
        )

    # --- sessions ----------------------------------------------------------------------------------------

    async def _session(self, call: Call) -> Reply:
        if not call.words:
            return Reply(await self._all())
        name = agent(self._desk.roster, call.words)
        it = await self._survey.one(name)
        rows = [
            f"{name} · {_state(it)}",
            *self._threaded(it.thread),
            *await self._begun(it.thread),
            *(f"{dial.capitalize()}: {_in_force(dial, it)}" for dial in Dial),
            f"Waiting: {it.waiting}",
            f"Memory: {await self._memory(it)}",
            f"Cost today: ${it.usd:.4f}",
            f"Last active: {NEVER if it.thread is None else self._moment(it.thread.last_active)}",
        ]
        return Reply("\n".join(rows), self._desk.decisions.offer(self._choices(name)))

    async def _all(self) -> str:
        rows = []
        for it in await self._survey.all():
            waiting = f", {it.waiting} waiting" if it.waiting else ""
            rows.append(f"{it.name}: {_state(it)}{waiting} · {self._bar(it.tokens)} · ${it.usd:.2f} today")
        return "\n".join([*rows, "", "/session @name shows one."])

    def _threaded(self, thread: Thread | None) -> list[str]:
        if thread is None or thread.id is None:
            return ["Thread: none yet; the next turn begins one"]
        most = self._sight.max_context_tokens
        used = f"{self._bar(thread.context_tokens)} · {thread.context_tokens:,} of {most:,} tokens"
        return [f"Thread: {thread.id}", f"Context: {used}"]

    async def _begun(self, thread: Thread | None) -> list[str]:
        """Why the thread is the one it is, and what it was told when it began."""
        if thread is None:
            return []
        if thread.begun is None:
            return [f"Last rebuilt: {thread.reason}"] if thread.reason else []
        rows = [f"Last rebuilt: {self._moment(thread.begun)}, because {thread.origin}"]
        if thread.carried:
            first = await self._desk.nuntii.get(thread.carried_from)
            since = self._moment(first.timestamp) if first else "the beginning"
            rows.append(f"Carried over: {thread.carried} nuntii, from {since} on")
        else:
            rows.append("Carried over: nothing")
        renewed = thread.reason not in ("", thread.origin)
        return [*rows, f"Since then: {thread.reason}"] if renewed else rows

    async def _memory(self, it: Condition) -> str:
        megabytes = await self._survey.megabytes(it)
        return "none while asleep" if megabytes is None else f"{megabytes:,.0f} MB"

    def _bar(self, tokens: int) -> str:
        share = self._survey.share(tokens)
        full = round(share * BAR_BLOCKS)
        return f"{'▓' * full}{'░' * (BAR_BLOCKS - full)} {share * 100:.0f} %"

    def _moment(self, moment: datetime | None) -> str:
        return NEVER if moment is None else f"{moment.astimezone(self._sight.zone):%Y-%m-%d %H:%M}"

    def _choices(self, name: str) -> Sequence[Choice]:
        async def ask() -> str:
            await self._desk.legatus.tell(
                f"Begin {name}'s conversation afresh? What runs is stopped.",
                self._desk.decisions.offer(
                    [Choice(f"Reset {name}", reset, grave=True), leave("Nothing was reset.")]
                ),
            )
            return "You are asked below."

        async def reset() -> str:
            self._desk.legatus.reset(name)
            return f"{name} is being reset."

        async def sleep() -> str:
            return self._desk.legatus.sleep(name)

        return Choice("Reset", ask), Choice("Sleep", sleep)

    # --- who sees what -----------------------------------------------------------------------------------

    async def _whosees(self, call: Call) -> Reply:
        if call.reply_to is None:
            raise Misused("write it in reply to a message.")
        nuntius = await self._desk.nuntii.by_message(call.reply_to)
        if nuntius is None:
            return Reply("That message is no nuntius: no agent ever sees it.")
        threads = {thread.agent: thread for thread in await self._sight.threads.all()}
        agents = (LEGATUS, *self._desk.roster.names())
        seeing = [name for name in agents if visible(name, nuntius)]
        rows = [f"{name}: {await self._told(nuntius, threads.get(name), name)}" for name in seeing]
        blind = [name for name in agents if name not in seeing]
        return Reply(
            "\n".join(
                [
                    f"Nuntius {nuntius.seq} of {nuntius.sender}, {self._moment(nuntius.timestamp)}",
                    f"May be seen by: {', '.join(viewers(nuntius))}",
                    "",
                    *rows,
                    *([f"Not by: {', '.join(blind)}"] if blind else []),
                ]
            )
        )

    async def _told(self, nuntius: Nuntius, thread: Thread | None, name: str) -> str:
        """Whether the agent's thread has it, or will: what it says follows from how far it was told."""
        thread = thread or Thread(name)
        if nuntius.seq <= thread.since:
            return "is not told it any more: he was reset after it"
        if thread.id is not None and nuntius.seq < thread.carried_from:
            return "was not told it in this thread, which was begun later with newer nuntii"
        if thread.id is not None and nuntius.sender == name:
            return "said it himself"
        if thread.id is not None and nuntius.seq <= thread.cursor:
            return "has been told"
        new = thread.id is None
        coming = context.told_of(
            await self._desk.nuntii.latest(
                name, self._window(name), after=thread.cursor, without=None if new else name
            )
        )
        if nuntius.seq not in {each.seq for each in coming}:
            return "will not be told it: too much was said since"
        return f"will be told at his next turn{', when his thread begins' if new else ''}"

    def _window(self, name: str) -> int:
        try:
            own = self._desk.roster.profile(name).history_window
        except LegioError:  # a prompt that broke is told of at his next turn
            own = None
        return self._sight.history_window if own is None else own


def _state(it: Condition) -> str:
    return it.state if it.state == ASLEEP else f"{it.state} for {it.seconds} s"


def _in_force(dial: Dial, it: Condition) -> str:
    """What is set; a prompt that broke says so in the place of what it would set."""
    if it.trouble:
        return it.trouble
    choice = it.in_force[dial]
    return f"{choice.value or 'default'} ({choice.reason})"
