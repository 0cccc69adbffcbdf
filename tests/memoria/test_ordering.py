"""The Legatus's orders: shown first, enacted by Caesar's word alone, and written with its proof."""

import pytest

from legio.castra import Castra
from legio.errors import DocumentError, Refused
from legio.memoria.ordering import ordering
from legio.memoria.store import FileMemoria
from legio.nuntius import CAESAR
from legio.ports import Kind, Order, Proof
from tests.scenes import scene

PROOF = Proof("nuntius-7", CAESAR)


class Caesar:
    """A `Sanction` that keeps what it is shown and says one word to it, after what happens meanwhile."""

    def __init__(self, *, allows: bool = True) -> None:
        self.allows = allows
        self.shown: list[Order] = []

    async def __call__(self, order: Order) -> str:
        self.shown.append(order)
        if not self.allows:
            raise Refused("Caesar denied it.")
        return order.enact(PROOF)


async def publish(memoria: FileMemoria, caesar: Caesar, **arguments: str) -> str:
    return await ordering(memoria, caesar)[0].run(arguments)


async def revoke(memoria: FileMemoria, caesar: Caesar, name: str) -> str:
    return await ordering(memoria, caesar)[1].run({"name": name})


@scene
async def test_an_edictum_is_shown_whole_and_written_with_its_proof(
    memoria: FileMemoria, castra: Castra
) -> None:
    caesar = Caesar()
    said = await publish(memoria, caesar, title="Plain words", text="Speak plainly.")
    (order,) = caesar.shown
    assert order.text == "The Legatus asks to publish an edictum:\nPlain words"
    assert (order.agent, order.block.text, order.block.language) == ("legatus", "Speak plainly.", "")
    assert said == "Edictum plain-words is in force from the next turn on."
    document = memoria.read(Kind.EDICTUM, "plain-words")
    assert (document.author, document.proof, document.allowed) == ("legatus", "nuntius-7", "caesar")
    written = (castra.edicta / "plain-words.xml").read_text()
    assert ' proof="nuntius-7" allowed="caesar">' in written


@scene
async def test_what_is_denied_is_not_written(memoria: FileMemoria) -> None:
    memoria.write(Kind.EDICTUM, title="Old", text="Old.", author=CAESAR)
    caesar = Caesar(allows=False)
    with pytest.raises(Refused, match="denied"):
        await publish(memoria, caesar, title="New", text="New.", replaces="old")
    with pytest.raises(Refused, match="denied"):
        await revoke(memoria, caesar, "old")
    assert [document.name for document in memoria.list(Kind.EDICTUM).documents] == ["old"]


@scene
async def test_an_edictum_in_the_place_of_another_is_shown_as_a_diff(
    memoria: FileMemoria, castra: Castra
) -> None:
    memoria.write(Kind.EDICTUM, title="Old", text="one\ntwo\nthree", author=CAESAR)
    caesar = Caesar()
    said = await publish(memoria, caesar, title="New", text="one\n2\nthree", replaces="old")
    (order,) = caesar.shown
    assert order.text == "The Legatus asks to put an edictum in the place of old:\nNew"
    assert (order.block.text, order.block.language) == ("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three", "diff")
    assert said == "Edictum new is in force from the next turn on, in the place of old."
    assert [document.name for document in memoria.list(Kind.EDICTUM).documents] == ["new"]
    (kept,) = (castra.edicta / ".history").iterdir()
    assert 'proof="nuntius-7" allowed="caesar"?>' in kept.read_text()


@scene
async def test_a_new_edictum_with_the_words_of_the_old_one_shows_them(memoria: FileMemoria) -> None:
    memoria.write(Kind.EDICTUM, title="Old", text="The same.", author=CAESAR)
    caesar = Caesar()
    await publish(memoria, caesar, title="New", text="The same.", replaces="old")
    assert caesar.shown[0].block.text == "The same."


@scene
async def test_a_revoked_edictum_is_shown_and_kept_with_the_proof(
    memoria: FileMemoria, castra: Castra
) -> None:
    memoria.write(Kind.EDICTUM, title="Old", text="Old words.", author=CAESAR)
    caesar = Caesar()
    said = await revoke(memoria, caesar, "old")
    (order,) = caesar.shown
    assert (order.text, order.block.text) == (
        "The Legatus asks to revoke the edictum old:\nOld",
        "Old words.",
    )
    assert said == "Edictum old is out of force from the next turn on; its file is kept."
    (kept,) = (castra.edicta / ".history").iterdir()
    assert '<?revoked by="legatus"' in kept.read_text()
    assert 'proof="nuntius-7" allowed="caesar"?>' in kept.read_text()


@scene
async def test_what_is_not_there_is_told_before_caesar_is_asked(memoria: FileMemoria) -> None:
    caesar = Caesar()
    with pytest.raises(DocumentError, match="no edictum 'none'"):
        await revoke(memoria, caesar, "none")
    with pytest.raises(DocumentError, match="no edictum 'none'"):
        await publish(memoria, caesar, title="New", text="New.", replaces="none")
    assert caesar.shown == []


@scene
async def test_an_edictum_that_changed_while_caesar_thought_is_left_alone(
    memoria: FileMemoria, castra: Castra
) -> None:
    memoria.write(Kind.EDICTUM, title="Old", text="Old words.", author=CAESAR)

    async def slow(order: Order) -> str:
        path = castra.edicta / "old.xml"
        path.write_text(path.read_text().replace("Old words.", "Other words, written by hand."))
        return order.enact(PROOF)

    for arguments in ({"title": "New", "text": "New.", "replaces": "old"}, {"name": "old"}):
        tools = ordering(memoria, slow)
        with pytest.raises(Refused, match="was changed meanwhile"):
            await tools[0 if "title" in arguments else 1].run(arguments)
        path = castra.edicta / "old.xml"
        path.write_text(path.read_text().replace("Other words, written by hand.", "Old words."))
    assert [document.name for document in memoria.list(Kind.EDICTUM).documents] == ["old"]


@scene
async def test_a_large_edictum_is_written_with_a_warning(memoria: FileMemoria) -> None:
    said = await publish(memoria, Caesar(), title="Long", text="word " * 15_000)
    assert "keep each below 50 KB" in said
