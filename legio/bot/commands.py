"""Caesar's slash commands: one table, one function each, plain text out.

A command looks and acts through the same roster, memoria and sessions as the agents do. What cannot be
taken back asks by button first.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from legio import __version__
from legio.bot import ways
from legio.bot.desk import Call, Desk, Misused, Reply
from legio.decisions import Choice
from legio.errors import LegioError, Refused
from legio.nuntius import CAESAR, LEGATUS, Nuntius
from legio.ports import Document, Kind

HISTORY = 10
MOST_HISTORY = 100
LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Command:
    """One command: how it is written, what it is for, and what it does when it is called."""

    name: str
    arguments: str
    meaning: str
    run: Callable[[Call], Awaitable[Reply]]

    @property
    def usage(self) -> str:
        """The command as Caesar writes it."""
        return f"/{self.name} {self.arguments}".strip()


class Commands:
    """The table, and how a line is run by it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.table = (
            Command("start", "", "What Legio is, and how to begin", self._start),
            Command("help", "", "All commands", self._help),
            Command("status", "", "Who is doing what, and whether anything is left unanswered", self._status),
            Command("list", "", "The centuriones", self._list),
            Command("create", "<name> <specialization>", "Recruit a centurio", self._create),
            Command("remove", "<name>", "Dismiss a centurio (asks first)", self._remove),
            Command("edict", "<text>", "Publish a standing order", self._edict),
            Command("edicta", "[name]", "The standing orders", self._edicta),
            Command("revoke", "<name>", "Revoke a standing order (asks first)", self._revoke),
            Command("acta", "[name]", "The shared knowledge", self._acta),
            Command("commentarii", "<agent> [name]", "An agent's journal", self._commentarii),
            Command("history", "[n] [@name]", "The last messages, or those of one sender", self._history),
            Command("reset", "<name>", "Begin an agent's conversation afresh (asks first)", self._reset),
            Command("stop", "[name]", "Stop all that runs or waits, or one agent", self._stop),
            Command("why", "", "In reply to an answer: the way it took, and its cost", self._why),
            Command("undelivered", "", "What never reached you; send it again", self._undelivered),
            Command("version", "", "Which Legio this is", self._version),
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

    async def _start(self, _: Call) -> Reply:
        names = ", ".join(f"@{name}" for name in self._desk.roster.names())
        return Reply(
            "Ave Caesar. This is Legio.\n\nWrite, and the Legatus answers. Write @name to address a centurio,"
            f" several to address several, @all for everyone. Here are: {names or 'no centuriones yet'}.\n\n"
            "Reply to a message to speak to whoever sent it. /help shows the commands."
        )

    async def _help(self, _: Call) -> Reply:
        return Reply("\n".join(f"{command.usage} — {command.meaning}" for command in self.table))

    async def _status(self, _: Call) -> Reply:
        tally = await self._desk.turns.tally()
        rows = []
        for status in (self._desk.legatus.own_status(), *self._desk.legatus.status()):
            more = f", {status.waiting} waiting" if status.waiting else ""
            since = f" for {status.seconds} s" if status.state != "asleep" else ""
            rows.append(f"{status.name}: {status.state}{since}{more}")
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
        broken = [f"⚠️ {sentence}" for sentence in self._desk.roster.broken()]
        return Reply("\n".join([*rows, *broken]) or "There are no centuriones. /create recruits one.")

    async def _create(self, call: Call) -> Reply:
        name, _, specialization = call.words.partition(" ")
        if not specialization.strip():
            raise Misused("a name and a specialization are needed.")
        return Reply(await self._desk.recruiting.create(_name(name), specialization))

    async def _remove(self, call: Call) -> Reply:
        name = self._centurio(call.words)
        buttons = self._desk.decisions.offer(self._desk.recruiting.removal(name))
        return Reply(f"Remove {name}? His files are kept in centuriones/.removed.", buttons)

    async def _edict(self, call: Call) -> Reply:
        if not call.words:
            raise Misused("the order's text is needed.")
        # Legio may have been killed when the file was written and the update not ended: it comes again then.
        for document in self._desk.memoria.list(Kind.EDICTUM).documents:
            if document.author == CAESAR and document.text.split() == call.words.split():
                return Reply(f"Edictum {document.name} stands, word for word, from the next turn on.")
        title = call.words.splitlines()[0][:LONGEST_TITLE]
        document, warning = self._desk.memoria.write(
            Kind.EDICTUM, title=title, text=call.words, author=CAESAR
        )
        return Reply(f"Edictum {document.name} stands from the next turn on. {warning}".strip())

    async def _edicta(self, call: Call) -> Reply:
        return self._documents(
            Kind.EDICTUM, call.words, "There are no standing orders. /edict publishes one."
        )

    async def _acta(self, call: Call) -> Reply:
        return self._documents(Kind.ACTUM, call.words, "There is no shared knowledge yet; agents publish it.")

    async def _commentarii(self, call: Call) -> Reply:
        name, _, document = call.words.partition(" ")
        if not name:
            raise Misused("an agent's name is needed.")
        owner = self._agent(name)
        return self._documents(Kind.COMMENTARIUM, document, f"{owner} has written nothing yet.", owner=owner)

    async def _revoke(self, call: Call) -> Reply:
        document = self._desk.memoria.read(Kind.EDICTUM, call.words) if call.words else None
        if document is None:
            raise Misused("the edictum's name is needed; /edicta lists them.")

        async def revoke() -> str:
            self._desk.memoria.revoke(document.name, CAESAR)
            return f"Edictum {document.name} is revoked from the next turn on; its text is kept."

        buttons = self._desk.decisions.offer([Choice("Revoke", revoke), _leave("It stands.")])
        return Reply(f"Revoke {document.name}?\n\n{document.title}\n{document.text}", buttons)

    async def _history(self, call: Call) -> Reply:
        count, sender = HISTORY, None
        for word in call.words.split():
            if word.isdecimal():
                count = max(1, min(MOST_HISTORY, int(word)))
            else:
                sender = CAESAR if _name(word) == CAESAR else self._agent(word)
        found = await self._desk.nuntii.latest(CAESAR, count, sender=sender)
        return Reply("\n\n".join(_line(nuntius) for nuntius in found) or "Nothing has been said yet.")

    async def _reset(self, call: Call) -> Reply:
        if not call.words:
            raise Misused("an agent's name is needed.")
        name = self._agent(call.words)

        async def reset() -> str:
            self._desk.legatus.reset(name)
            return f"{name} is being reset."

        buttons = self._desk.decisions.offer([Choice(f"Reset {name}", reset), _leave("Nothing was reset.")])
        return Reply(f"Begin {name}'s conversation afresh? What runs is stopped.", buttons)

    async def _stop(self, call: Call) -> Reply:
        stopped = self._desk.legatus.stop(self._agent(call.words) if call.words else None)
        if not stopped:
            return Reply("Nothing was running.")
        return Reply(f"Stopping {', '.join(dict.fromkeys(turn.agent for turn in stopped))}.")

    async def _why(self, call: Call) -> Reply:
        return await ways.why(self._desk.ledger, call)

    async def _undelivered(self, _: Call) -> Reply:
        return await ways.undelivered(self._desk.ledger, self._desk.decisions, self._desk.messenger)

    async def _version(self, _: Call) -> Reply:
        return Reply(f"Legio {__version__}")

    async def _stuck(self) -> bool:
        return bool(await self._desk.ledger.undelivered())

    def _documents(self, kind: Kind, name: str, empty: str, *, owner: str = "") -> Reply:
        if name:
            return Reply(_page(self._desk.memoria.read(kind, name, owner)))
        shelf = self._desk.memoria.list(kind, owner)
        rows = [f"{document.name} — {document.title} ({document.author})" for document in shelf.documents]
        return Reply("\n".join([*rows, *(f"⚠️ {word}" for word in shelf.broken)]) or empty)

    def _centurio(self, words: str) -> str:
        if not words:
            raise Misused("a centurio's name is needed.")
        return self._desk.roster.profile(_known(_name(words), self._desk.roster.names())).name

    def _agent(self, words: str) -> str:
        return _known(_name(words), (LEGATUS, *self._desk.roster.names()))


def _name(word: str) -> str:
    return word.strip().removeprefix("@").lower()


def _known(name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise Refused(
            f"there is nobody called '{name}'.", remedy=f"There is: {', '.join(names) or 'nobody'}."
        )
    return name


def _leave(sentence: str) -> Choice:
    async def leave() -> str:
        return sentence

    return Choice("Cancel", leave)


def _page(document: Document) -> str:
    stamp = document.created.strftime("%Y-%m-%d %H:%M UTC")
    return f"{document.title}\n{document.name} · {document.author} · {stamp}\n\n{document.text}"


def _line(nuntius: Nuntius) -> str:
    to = ", ".join(nuntius.audience)
    return f"{nuntius.timestamp:%m-%d %H:%M} {nuntius.sender} → {to}\n{nuntius.text}"
