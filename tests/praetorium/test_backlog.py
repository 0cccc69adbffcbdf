"""What is still to be done, in figures and ages."""

from datetime import timedelta
from pathlib import Path

from legio.nuntius import Tally
from legio.ports import Backlog, Letter, Thread
from legio.praetorium import Praetorium
from legio.praetorium.backlog import backlog
from tests.praetorium.record import START, StillClock, answered, parcel, praetorium_in, said
from tests.scenes import scene


async def looked(praetorium: Praetorium, clock: StillClock) -> Backlog:
    return await praetorium.database.read(lambda connection: backlog(connection, clock.now()))


@scene
async def test_where_there_is_nothing_to_do_all_is_zero(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        assert await looked(praetorium, clock) == Backlog(Tally(0, 0, 0, 0, 0, 0))


@scene
async def test_the_oldest_unfinished_letter_gives_the_lag(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        for number in (1, 2, 3):
            await praetorium.inbox.put(Letter(number, "{}", START + timedelta(seconds=number)))
        await praetorium.inbox.finish(1)
        await clock.sleep(12)
        found = await looked(praetorium, clock)
    assert (found.inbox, found.inbox_seconds) == (2, 10.0)


@scene
async def test_an_agent_owes_since_it_was_asked_began_or_ended_last(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        first, second, third = [
            (await praetorium.turns.admit(said(text), ["legatus"]))[0] for text in ("one", "two", "three")
        ]
        await clock.sleep(5)
        asked = await looked(praetorium, clock)
        await praetorium.turns.begin(first, Thread("legatus"))
        await clock.sleep(7)
        began = await looked(praetorium, clock)
        await praetorium.turns.end(first, answered("1", "legatus", first.nuntius))
        await clock.sleep(11)
        ended = await looked(praetorium, clock)
    assert [(each.slowest, each.slowest_seconds) for each in (asked, began, ended)] == [
        ("legatus", 5.0),
        ("legatus", 7.0),
        ("legatus", 11.0),
    ]
    assert [each.turn_seconds for each in (asked, began, ended)] == [5.0, 12.0, 23.0]
    assert ended.tally == Tally(received=3, answered=1, failed=0, stopped=0, expired=0, pending=2)
    assert second.id < third.id


@scene
async def test_of_several_agents_the_slowest_is_named(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        turns = await praetorium.turns.admit(said("x", audience=("pullo", "vorenus")), ["pullo", "vorenus"])
        await clock.sleep(3)
        await praetorium.turns.begin(turns[1], Thread("vorenus"))
        await clock.sleep(1)
        found = await looked(praetorium, clock)
    assert (found.slowest, found.slowest_seconds) == ("pullo", 4.0)


@scene
async def test_what_has_to_go_out_is_counted_and_what_never_will(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        outbox = praetorium.outbox
        await outbox.add([parcel(text) for text in ("sent", "never", "on its way", "waiting")])
        sent, never, going, _ = await outbox.due()
        for dispatch in (sent, never, going):
            await outbox.start(dispatch)
        await outbox.sent(sent, 41)
        await outbox.failed(never, "blocked", final=True, doubtful=False)
        await clock.sleep(9)
        await outbox.add([parcel("new")])
        found = await looked(praetorium, clock)
    assert (found.outbox, found.outbox_seconds, found.undeliverable) == (3, 9.0, 1)


@scene
async def test_a_clock_that_was_set_back_makes_nothing_negative(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        await praetorium.inbox.put(Letter(1, "{}", START))
        await praetorium.turns.admit(said("x"), ["legatus"])
        clock.moment = START - timedelta(hours=1)
        found = await looked(praetorium, clock)
    assert (found.inbox_seconds, found.turn_seconds, found.slowest_seconds) == (0.0, 0.0, 0.0)
