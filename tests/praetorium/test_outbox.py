from dataclasses import replace
from pathlib import Path

import pytest

from legio.ports import Dispatch
from legio.praetorium import Praetorium
from tests.praetorium.record import parcel, payloads, praetorium_in, said
from tests.scenes import scene


async def only(praetorium: Praetorium) -> Dispatch:
    (dispatch,) = await praetorium.outbox.due()
    return dispatch


async def row(praetorium: Praetorium) -> dict[str, object]:
    (found,) = await praetorium.database.rows("SELECT state, tries, message, error FROM outbox")
    return dict(found)


@scene
async def test_parcels_are_due_in_the_order_of_writing(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("a"), replace(parcel("b"), chat=8)])
        await praetorium.outbox.add([parcel("c")])

        due = await praetorium.outbox.due()

        assert [dispatch.parcel for dispatch in due] == [
            parcel("a"),
            replace(parcel("b"), chat=8),
            parcel("c"),
        ]
        assert [(dispatch.tries, dispatch.doubtful) for dispatch in due] == [(0, False)] * 3


@scene
async def test_a_send_that_began_is_doubtful_until_it_ends(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("a")])
        await praetorium.outbox.start(await only(praetorium))

    async with praetorium_in(tmp_path) as praetorium:
        dispatch = await only(praetorium)
        assert (dispatch.tries, dispatch.doubtful) == (1, True)

        await praetorium.outbox.start(dispatch)
        assert (await only(praetorium)).tries == 2


@scene
async def test_what_was_sent_is_not_due_again(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("a")])
        dispatch = await only(praetorium)
        await praetorium.outbox.start(dispatch)
        await praetorium.outbox.sent(dispatch, 501)

        assert await praetorium.outbox.due() == ()
        assert await row(praetorium) == {"state": "sent", "tries": 1, "message": 501, "error": ""}


@scene
async def test_a_late_word_does_not_bring_back_what_was_sent(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("a")])
        dispatch = await only(praetorium)
        await praetorium.outbox.sent(dispatch, 501)

        await praetorium.outbox.failed(dispatch, "reset", final=False, doubtful=True)
        await praetorium.outbox.start(dispatch)

        assert (await row(praetorium))["state"] == "sent"


@scene
async def test_a_message_without_a_nuntius_finds_none(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("a notice")])
        await praetorium.outbox.sent(await only(praetorium), 501)

        assert await praetorium.nuntii.by_message(501) is None


@scene
async def test_a_message_id_that_is_used_again_finds_the_newer_nuntius(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for text in ("older", "newer"):
            await praetorium.nuntii.post(said(text), [parcel(text)])
            await praetorium.outbox.sent(await only(praetorium), 501)
        found = await praetorium.nuntii.by_message(501)

    assert found is not None
    assert found.text == "newer"


@pytest.mark.parametrize(
    ("final", "doubtful", "state"),
    [
        (False, False, "pending"),
        (False, True, "sending"),
        (True, False, "undeliverable"),
        (True, True, "undeliverable"),
    ],
)
def test_a_failure_leaves_the_parcel_where_it_belongs(
    tmp_path: Path, *, final: bool, doubtful: bool, state: str
) -> None:
    @scene
    async def fail() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            await praetorium.outbox.add([parcel("a")])
            dispatch = await only(praetorium)
            await praetorium.outbox.start(dispatch)
            await praetorium.outbox.failed(dispatch, "reset \udc00", final=final, doubtful=doubtful)

            due = await praetorium.outbox.due()
            assert [(one.tries, one.doubtful) for one in due] == ([] if final else [(1, doubtful)])
            assert await row(praetorium) == {
                "state": state,
                "tries": 1,
                "message": None,
                "error": "reset \ufffd",
            }

    fail()


@scene
async def test_at_most_five_hundred_are_due_at_once(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel(str(number)) for number in range(510)])

        assert payloads(await praetorium.outbox.due()) == [str(number) for number in range(500)]
