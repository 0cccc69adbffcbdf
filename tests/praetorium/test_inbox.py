from datetime import timedelta
from pathlib import Path

import pytest

from legio.ports import Letter
from tests.praetorium.record import START, StillClock, parcel, payloads, praetorium_in, said
from tests.scenes import scene


def letter(update_id: int, payload: str = '{"message": {}}', seconds: float = 0.0) -> Letter:
    return Letter(id=update_id, payload=payload, received=START + timedelta(seconds=seconds))


@scene
async def test_a_letter_is_kept_until_it_is_finished(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.inbox.put(letter(1))
        assert await praetorium.inbox.unfinished() == (letter(1),)

        assert await praetorium.inbox.finish(1)
        assert await praetorium.inbox.unfinished() == ()


@scene
async def test_a_letter_survives_closing(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(letter(1))

    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.inbox.unfinished() == (letter(1),)


@scene
async def test_the_same_update_is_put_once_and_the_first_payload_stays(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.inbox.put(letter(1, "first"))
        assert not await praetorium.inbox.put(letter(1, "second"))

        assert await praetorium.inbox.unfinished() == (letter(1, "first"),)


@scene
async def test_an_ended_update_is_never_put_again(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(letter(1))
        await praetorium.inbox.finish(1)

        assert not await praetorium.inbox.put(letter(1))
        assert await praetorium.inbox.unfinished() == ()


@scene
async def test_an_admitted_letter_is_finished(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(letter(1))
        await praetorium.turns.admit(said("salve"), ["legatus"], update_id=1)

        assert await praetorium.inbox.unfinished() == ()
        assert not await praetorium.inbox.finish(1, [parcel("too late")])
        assert await praetorium.outbox.due() == ()


@scene
async def test_letters_come_in_telegrams_order_even_if_the_clock_jumped(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for one in (letter(12, seconds=-3600), letter(10), letter(11, seconds=5)):
            await praetorium.inbox.put(one)

        assert [kept.id for kept in await praetorium.inbox.unfinished()] == [10, 11, 12]


@scene
async def test_finishing_writes_the_parcels_once(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(letter(1))

        assert await praetorium.inbox.finish(1, [parcel("a"), parcel("b")])
        assert not await praetorium.inbox.finish(1, [parcel("a"), parcel("b")])

        assert payloads(await praetorium.outbox.due()) == ["a", "b"]


@scene
async def test_finishing_what_was_never_put_is_a_mistake(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        with pytest.raises(LookupError, match="never put"):
            await praetorium.inbox.finish(9, [parcel("half")])

        assert await praetorium.outbox.due() == ()


@scene
async def test_an_ended_letter_keeps_its_id_and_times_and_drops_its_payload(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        await praetorium.inbox.put(letter(1))
        clock.moment += timedelta(seconds=2)
        await praetorium.inbox.finish(1)
        rows = await praetorium.database.rows("SELECT * FROM inbox")

    assert [tuple(row) for row in rows] == [
        (1, "", "2026-11-21T03:04:05.123456+00:00", "2026-11-21T03:04:07.123456+00:00", None)
    ]
