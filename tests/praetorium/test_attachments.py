from dataclasses import replace
from pathlib import Path

from legio.nuntius import CAESAR, LEGATUS, Attachment, Nuntius, Quote
from legio.ports import Letter
from legio.praetorium import copying
from tests.praetorium.record import START, praetorium_in, said
from tests.scenes import scene

PHOTO = Attachment("attachments/d/1-a.jpg", "a\ud83d.jpg", "image/jpeg", 7, "photo")
LARGE = Attachment("", "b.zip", "application/zip", 9, "document", "it was not kept: too large")
KEPT = (replace(PHOTO, name="a\ufffd.jpg"), LARGE)


def sent(text: str = "look") -> Nuntius:
    return replace(said(text), attachments=(PHOTO, LARGE), quote=Quote("pullo", "the ford"))


@scene
async def test_files_and_the_quote_are_written_and_read_with_their_nuntius(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(said("before"))
        posted = await praetorium.nuntii.post(sent())
        await praetorium.nuntii.post(said("after"))
        found = await praetorium.nuntii.get(posted.seq)
        latest = await praetorium.nuntii.latest(LEGATUS, 3)
        assert await praetorium.check() == ()
    assert found is not None
    assert (found.attachments, found.quote) == (KEPT, Quote("pullo", "the ford"))
    assert [it.attachments for it in latest] == [(), KEPT, ()]
    assert [it.text for it in copying.nuntii(tmp_path / "praetorium.db")] == ["before", "look", "after"]
    assert [it.attachments for it in copying.nuntii(tmp_path / "praetorium.db")][1] == KEPT


@scene
async def test_more_nuntii_with_files_than_a_query_takes_are_read_at_once(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for number in range(1000):
            await praetorium.nuntii.post(sent(str(number)))
        latest = await praetorium.nuntii.latest(CAESAR, 1000)
    assert len(latest) == 1000
    assert all(it.attachments == KEPT for it in latest)


@scene
async def test_an_album_ends_all_its_letters_with_one_nuntius_and_only_once(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for update_id in (1, 2, 3):
            await praetorium.inbox.put(Letter(update_id, "{}", START))
        turns = await praetorium.turns.admit(sent(), [LEGATUS], update_id=(1, 2, 3), message=41)
        again = await praetorium.turns.admit(sent("again"), [LEGATUS], update_id=(1, 2, 3), message=41)
        open_turns = await praetorium.turns.open()
        assert await praetorium.inbox.unfinished() == ()
        assert await praetorium.check() == ()
    assert again == ()
    assert [it.id for it in open_turns] == [it.id for it in turns]
    assert open_turns[0].nuntius.attachments == KEPT


@scene
async def test_of_an_album_what_is_left_is_admitted(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for update_id in (1, 2):
            await praetorium.inbox.put(Letter(update_id, "{}", START))
        await praetorium.inbox.finish(1)
        turns = await praetorium.turns.admit(sent(), [LEGATUS], update_id=(1, 2))
        assert await praetorium.inbox.unfinished() == ()
    assert len(turns) == 1
