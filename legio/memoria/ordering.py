"""The Legatus's two tools that change the standing orders: they take effect at Caesar's word alone.

What he is shown is what would be written, as a diff where it replaces an edictum that stands. Only his word
enacts it, and the nuntius of his that led to it is written into the file as its proof.
"""

import difflib
from collections.abc import Mapping

from legio.errors import Refused
from legio.memoria.arguments import DRAFT, NAMED, Arguments, text, tool
from legio.memoria.documents import tidy_line
from legio.nuntius import LEGATUS
from legio.ports import Block, Document, Kind, Memoria, Order, Proof, Sanction, Tool

HEADER_LINES = 2

REPLACES: Mapping[str, Mapping[str, object]] = {
    "replaces": {
        "type": "string",
        "maxLength": 64,
        "description": "The name of the edictum that this one takes the place of; it is revoked then.",
    }
}


def ordering(memoria: Memoria, sanction: Sanction) -> tuple[Tool, ...]:
    """Publish and revoke."""

    async def publish(arguments: Arguments) -> str:
        return await sanction(_publication(memoria, arguments))

    async def revoke(arguments: Arguments) -> str:
        return await sanction(_revocation(memoria, memoria.read(Kind.EDICTUM, text(arguments, "name"))))

    return (
        tool(
            "publish_edictum",
            "Publish an edictum: a standing order that every agent is given before every turn. Use it only "
            "when Caesar lays down a lasting rule, never for facts (publish_actum) or for one task. He is "
            "shown it and has to allow it; the result says what became of it.",
            publish,
            required=DRAFT,
            optional=REPLACES,
        ),
        tool(
            "revoke_edictum",
            "Take an edictum out of force by its name. Use it only when Caesar wants a rule to end; to "
            "change a rule, publish the new edictum with `replaces`. He has to allow it.",
            revoke,
            required=NAMED,
        ),
    )


def _publication(memoria: Memoria, arguments: Arguments) -> Order:
    title, words = tidy_line(text(arguments, "title")), text(arguments, "text")
    old = memoria.read(Kind.EDICTUM, text(arguments, "replaces")) if "replaces" in arguments else None

    def enact(proof: Proof) -> str:
        if old is not None:
            _unchanged(memoria, old)
        document, warning = memoria.ordain(title=title, text=words, author=LEGATUS, proof=proof)
        if old is not None:
            memoria.revoke(old.name, LEGATUS, proof)
        instead = f", in the place of {old.name}" if old else ""
        return f"Edictum {document.name} is in force from the next turn on{instead}. {warning}".strip()

    if old is None:
        return Order(LEGATUS, f"The Legatus asks to publish an edictum:\n{title}", Block(words), enact)
    said = f"The Legatus asks to put an edictum in the place of {old.name}:\n{title}"
    return Order(LEGATUS, said, _difference(old, words), enact, grave=True)


def _revocation(memoria: Memoria, document: Document) -> Order:
    def enact(proof: Proof) -> str:
        _unchanged(memoria, document)
        memoria.revoke(document.name, LEGATUS, proof)
        return f"Edictum {document.name} is out of force from the next turn on; its file is kept."

    said = f"The Legatus asks to revoke the edictum {document.name}:\n{document.title}"
    return Order(LEGATUS, said, Block(document.text), enact, grave=True)


def _unchanged(memoria: Memoria, document: Document) -> None:
    """Raise where Caesar was shown another text than the one that stands by now."""
    if memoria.read(Kind.EDICTUM, document.name) != document:
        raise Refused(
            f"edictum {document.name} was changed meanwhile: nothing was done.", remedy="Ask again."
        )


def _difference(old: Document, words: str) -> Block:
    lines = list(difflib.unified_diff(old.text.splitlines(), words.splitlines(), n=1, lineterm=""))
    return Block("\n".join(lines[HEADER_LINES:]) or words, "diff")
