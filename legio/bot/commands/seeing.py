"""What is behind an agent, and who sees a message: thread, context, money, memory; told, or not yet."""

from collections.abc import Sequence
from datetime import datetime

from legio import context
from legio.bot.commands.command import Command
from legio.bot.commands.words import agent, leave
from legio.bot.desk import Call, Desk, Misused, Reply
from legio.days import beginning, day_of
from legio.decisions import Choice
from legio.errors import LegioError
from legio.nuntius import ALL, CAESAR, LEGATUS, Nuntius, visible
from legio.ports import Thread
from legio.sessions import Session
from legio.tuning import Dial

BAR_BLOCKS = 10
NEVER = "never"


class SeeingCommands:
    """What Caesar looks at."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sight = desk.sight
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
        thread = await self._sight.threads.load(name)
        rows = [
            f"{name} · {self._state(name)}",
            *self._threaded(thread),
            *await self._begun(thread),
            *(f"{dial.capitalize()}: {self._in_force(dial, name)}" for dial in Dial),
            f"Waiting: {self._waiting(name)}",
            f"Memory: {self._memory(name, thread)}",
            f"Cost today: ${(await self._costs()).get(name, 0.0):.4f}",
            f"Last active: {NEVER if thread is None else self._moment(thread.last_active)}",
        ]
        return Reply("\n".join(rows), self._desk.decisions.offer(self._choices(name)))

    async def _all(self) -> str:
        threads = {thread.agent: thread for thread in await self._sight.threads.all()}
        costs = await self._costs()
        rows = []
        for name in (LEGATUS, *self._desk.roster.names()):
            waiting = f", {count} waiting" if (count := self._waiting(name)) else ""
            context = self._bar(threads.get(name, Thread(name)).context_tokens)
            rows.append(
                f"{name}: {self._state(name)}{waiting} · {context} · ${costs.get(name, 0.0):.2f} today"
            )
        return "\n".join([*rows, "", "/session @name shows one."])

    def _state(self, name: str) -> str:
        status = self._desk.legatus.own_status()
        if name != LEGATUS:
            status = next(it for it in self._desk.legatus.status() if it.name == name)
        return status.state if status.state == "asleep" else f"{status.state} for {status.seconds} s"

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

    def _in_force(self, dial: Dial, name: str) -> str:
        try:
            choice = self._sight.tuning.of(dial, self._desk.roster.profile(name))
        except LegioError as error:  # a prompt that broke says so in the place of what it would set
            return str(error)
        return f"{choice.value or 'default'} ({choice.reason})"

    def _memory(self, name: str, thread: Thread | None) -> str:
        session = self._named(name)
        if session is None or not session.live or thread is None or thread.process is None:
            return "none while asleep"
        return f"{self._sight.processes.megabytes(thread.process):,.0f} MB"

    def _waiting(self, name: str) -> int:
        session = self._named(name)
        if session is None:
            return 0
        return len(session.turns) - (session.current is not None)

    def _named(self, name: str) -> Session | None:
        return next((session for session in self._desk.sessions.all() if session.name == name), None)

    async def _costs(self) -> dict[str, float]:
        zone = self._sight.zone
        today = beginning(day_of(self._sight.clock.now(), zone), zone)
        return {it.agent: it.usd for it in await self._sight.costs.expenses(today)}

    def _bar(self, tokens: int) -> str:
        share = min(1.0, tokens / self._sight.max_context_tokens)
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
            session = self._named(name)
            if session is None or not session.live:
                return f"{name} is asleep already."
            busy = not session.quiet
            session.sleep()
            return (
                f"{name} sleeps once his work is done."
                if busy
                else f"{name} goes to sleep; his thread is kept."
            )

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
                    f"May be seen by: {', '.join(_viewers(nuntius))}",
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


def _viewers(nuntius: Nuntius) -> list[str]:
    """Everybody who may see it, each with the part of the rule that lets him."""
    if nuntius.audience == (ALL,):
        return ["everyone"]
    reasons = {CAESAR: "sees everything", LEGATUS: "sees everything"}
    reasons.setdefault(nuntius.sender, "said it")
    for name in nuntius.audience:
        reasons.setdefault(name, "named")
    return [f"{name} ({reason})" for name, reason in reasons.items() if name != ALL]
