"""The memoria: standing orders, shared knowledge and journals."""

from legio.bot.commands.command import Command
from legio.bot.commands.words import agent, leave
from legio.bot.desk import Call, Desk, Misused, Reply
from legio.decisions import Choice
from legio.nuntius import CAESAR
from legio.ports import Document, Kind

LONGEST_TITLE = 80


class MemoriaCommands:
    """What Caesar reads of the memoria and writes into it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.table = (
            Command("edict", "<text>", "Publish a standing order", self._edict),
            Command("edicta", "[name]", "The standing orders", self._edicta),
            Command("revoke", "<name>", "Revoke a standing order (asks first)", self._revoke),
            Command("acta", "[name]", "The shared knowledge", self._acta),
            Command("commentarii", "<agent> [name]", "An agent's journal", self._commentarii),
        )

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

    async def _revoke(self, call: Call) -> Reply:
        document = self._desk.memoria.read(Kind.EDICTUM, call.words) if call.words else None
        if document is None:
            raise Misused("the edictum's name is needed; /edicta lists them.")

        async def revoke() -> str:
            self._desk.memoria.revoke(document.name, CAESAR)
            return f"Edictum {document.name} is revoked from the next turn on; its text is kept."

        choices = Choice("Revoke", revoke, grave=True), leave("It stands.")
        buttons = self._desk.decisions.offer(choices)
        return Reply(f"Revoke {document.name}?\n\n{document.title}\n{document.text}", buttons)

    async def _acta(self, call: Call) -> Reply:
        return self._documents(Kind.ACTUM, call.words, "There is no shared knowledge yet; agents publish it.")

    async def _commentarii(self, call: Call) -> Reply:
        name, _, document = call.words.partition(" ")
        owner = agent(self._desk.roster, name)
        return self._documents(Kind.COMMENTARIUM, document, f"{owner} has written nothing yet.", owner=owner)

    def _documents(self, kind: Kind, name: str, empty: str, *, owner: str = "") -> Reply:
        if name:
            return Reply(_page(self._desk.memoria.read(kind, name, owner)))
        shelf = self._desk.memoria.list(kind, owner)
        rows = [f"{document.name} — {document.title} ({document.author})" for document in shelf.documents]
        return Reply("\n".join([*rows, *(f"⚠️ {word}" for word in shelf.broken)]) or empty)


def _page(document: Document) -> str:
    stamp = document.created.strftime("%Y-%m-%d %H:%M UTC")
    return f"{document.title}\n{document.name} · {document.author} · {stamp}\n\n{document.text}"
