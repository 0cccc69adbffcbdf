from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from legio.nuntius import CAESAR, LEGATUS, Turn, TurnState
from legio.ports import Cause, Ending, Entry, EntryKind, Feed, Letter, Process, Thread
from legio.praetorium import Praetorium
from legio.praetorium.feed import EXCERPT
from legio.sessions.thread import CHANGED, CONTEXT_FULL, FIRST_USE, LOST, RESET, successor
from tests.fakes import MemoryFeed
from tests.praetorium.record import START, UNTOLD, StillClock, answered, praetorium_in, said
from tests.praetorium.test_store import LIVES, Witness, one_life
from tests.scenes import scene

KEPT = 100_000
STEP = Entry(EntryKind.TOOL, "pullo", "Bash\nls", START, turn=1)


async def happened(praetorium: Praetorium, after: int = 0) -> list[tuple[str, str, str]]:
    """Kind, agent and text of all that happened."""
    return [(entry.kind.value, entry.agent, entry.text) for entry in await praetorium.feed.since(after, 1000)]


async def asked(praetorium: Praetorium, text: str, *agents: str) -> tuple[Turn, ...]:
    return await praetorium.turns.admit(said(text, audience=agents), agents)


# --- the promises --------------------------------------------------------------------------------------


@scene
async def test_the_fake_and_the_real_one_keep_the_same_promises(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for port in (praetorium.feed, MemoryFeed()):
            await kept(port)


async def kept(port: Feed) -> None:
    assert (await port.last(), await port.since(0, 10), await port.before(None, 10)) == (0, (), ())
    first = [replace(STEP, agent=agent) for agent in ("pullo", "vorenus", "pullo")]
    await port.add(first)
    await port.add([replace(STEP, agent="vorenus", text="two", kind=EntryKind.EVENT, turn=None)])
    every = await port.since(0, 10)
    assert every[:3] == tuple(replace(entry, id=number) for number, entry in enumerate(first, 1))
    assert await port.last() == 4
    assert await port.before(None, 10) == every
    assert [entry.id for entry in await port.since(1, 2)] == [2, 3]
    assert [entry.id for entry in await port.before(4, 2)] == [2, 3]
    assert [entry.id for entry in await port.since(0, 10, agent="vorenus")] == [2, 4]
    assert [entry.id for entry in await port.before(None, 1, agent="pullo")] == [3]
    assert [entry.id for entry in await port.before(3, 9, agent="pullo")] == [1]
    for nothing in (
        await port.since(4, 10),
        await port.since(0, 0),
        await port.since(0, -1),
        await port.before(None, -1),
        await port.before(1, 10),
        await port.since(2**70, 10),
        await port.since(0, 10, agent="nobody"),
    ):
        assert nothing == ()
    assert len(await port.before(2**70, 10)) == 4


@scene
async def test_a_text_that_sqlite_would_refuse_is_written_all_the_same(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.feed.add([replace(STEP, text="half \ud83d of a sign")])
        (entry,) = await praetorium.feed.since(0, 10)
    assert entry.text == "half \ufffd of a sign"


@scene
async def test_the_oldest_are_given_up_and_no_id_is_given_twice(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for _ in range(11):
            await praetorium.feed.add([STEP] * (KEPT // 10))
            count = "SELECT count(*), min(id) FROM events"
            ((many, _least),) = await praetorium.database.rows(count)
            assert many <= KEPT
        ((many, least),) = await praetorium.database.rows(count)
        assert (many, least) == (KEPT - 500, KEPT // 10 + 501)
        await praetorium.feed.add([STEP] * 499)
        assert (await praetorium.database.rows(count))[0][0] == KEPT - 1
        assert len(await praetorium.feed.since(0, 2 * KEPT, agent="pullo")) == KEPT - 1
        assert await praetorium.feed.last() == KEPT + KEPT // 10 + 499


# --- what the record says of turns ------------------------------------------------------------------------


@scene
async def test_a_turn_makes_its_entries_as_it_is_admitted_and_ended(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        vorenus, pullo = await asked(praetorium, "compare", "vorenus", "pullo")
        clock.moment += timedelta(seconds=5)
        await praetorium.turns.begin(vorenus, Thread("vorenus"))
        ending = answered("the ford", "vorenus", vorenus.nuntius)
        reply = await praetorium.turns.end(vorenus, ending)
        await praetorium.turns.end(vorenus, ending)
        await praetorium.turns.end(pullo, Ending(TurnState.FAILED, None, (), detail="529 overloaded"))
        entries = await praetorium.feed.since(0, 10)
    assert reply is not None
    later = START + timedelta(seconds=5)
    seq = vorenus.nuntius.seq
    assert entries == (
        Entry(EntryKind.USER, "vorenus", "compare", START, vorenus.id, seq, CAESAR, 1),
        Entry(EntryKind.USER, "pullo", "compare", START, pullo.id, seq, CAESAR, 2),
        Entry(EntryKind.ASSISTANT, "vorenus", "the ford", later, vorenus.id, reply.seq, "vorenus", 3),
        Entry(EntryKind.ERROR, "pullo", "529 overloaded", later, pullo.id, None, "", 4),
    )


@pytest.mark.parametrize(
    ("state", "words"), [(TurnState.STOPPED, "was stopped"), (TurnState.EXPIRED, "expired")]
)
@scene
async def test_a_turn_that_is_given_up_is_an_event(state: TurnState, words: str, tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await asked(praetorium, "go", "pullo")
        await praetorium.turns.end(turn, Ending(state, None, ()))
        _, (kind, agent, text) = await happened(praetorium)
    assert (kind, agent) == ("event", "pullo")
    assert words in text


@scene
async def test_what_is_told_late_of_a_stopped_turn_happens_only_once(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await asked(praetorium, "go", "pullo")
        await praetorium.turns.begin(turn, Thread("pullo"))
        await praetorium.turns.end(turn, Ending(TurnState.STOPPED, None, ()))
        await praetorium.turns.end(turn, Ending(TurnState.STOPPED, None, (), seconds=3.0))
        assert [kind for kind, *_ in await happened(praetorium)] == ["user", "event"]


@scene
async def test_who_is_asked_by_another_agent_is_handed_to(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await asked(praetorium, "go", "legatus")
        dispatch = said("look at the ford", LEGATUS, ("pullo",), reply_to=turn.nuntius)
        await praetorium.turns.admit(dispatch, ["pullo"], root=turn.root)
        handoff = (await praetorium.feed.since(0, 10))[-1]
    assert (handoff.kind, handoff.agent, handoff.sender) == (EntryKind.HANDOFF, "pullo", LEGATUS)
    assert handoff.text == "look at the ford"


@scene
async def test_what_an_agent_says_without_being_asked_is_told_and_what_caesar_posts_is_not(
    tmp_path: Path,
) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(said("it rains", LEGATUS, ("all",)))
        await praetorium.nuntii.post(said("noted"))
        (entry,) = await praetorium.feed.since(0, 10)
    assert (entry.kind, entry.agent, entry.text, entry.turn) == (
        EntryKind.ASSISTANT,
        LEGATUS,
        "it rains",
        None,
    )


@scene
async def test_a_rewritten_question_is_told_anew_to_whoever_is_still_asked(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        vorenus, _ = await asked(praetorium, "the ford", "vorenus", "pullo")
        for update_id in (2, 3):
            await praetorium.inbox.put(Letter(update_id, "{}", START))
        seq = vorenus.nuntius.seq
        await praetorium.corrections.join(seq, "and back", update_id=2, message=9)
        joined = await happened(praetorium)
        amended = replace(vorenus.nuntius, text="the bridge", audience=("vorenus",))
        stopped = Ending(TurnState.STOPPED, None, ())
        await praetorium.corrections.amend(amended, ["vorenus"], Cause((3,), {}), stopped)
        entries = await praetorium.feed.since(0, 10)
    shown = [(entry.kind.value, entry.agent, entry.text) for entry in entries]
    reads = "Caesar changed it. It reads now:"
    assert joined[2:] == [(kind, agent, f"{reads}\nthe ford\nand back") for kind, agent, _ in shown[2:4]]
    assert shown == [
        ("user", "vorenus", "the bridge"),
        ("user", "pullo", "the bridge"),
        ("event", "vorenus", f"{reads}\nthe bridge"),
        ("event", "pullo", f"{reads}\nthe bridge"),
        ("event", "vorenus", f"{reads}\nthe bridge"),
        ("event", "pullo", f"{reads}\nthe bridge"),
        ("event", "pullo", "The turn was stopped."),
    ]
    assert entries[2].at.tzinfo is not None


@scene
async def test_a_long_text_is_told_in_part(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for text in ("x" * EXCERPT, "y" * 90_000):
            await praetorium.nuntii.post(said(text, LEGATUS, ("all",)))
        whole, part = await praetorium.feed.since(0, 10)
    assert whole.text == "x" * EXCERPT
    assert part.text == "y" * (EXCERPT - 1) + "…"


# --- what the record says of threads ----------------------------------------------------------------------


def thread(number: int, pid: int = 1, *, reason: str = FIRST_USE, origin: str = FIRST_USE) -> Thread:
    """The row of a thread as a session would write it."""
    begun = START + timedelta(minutes=number)
    return Thread(
        "pullo",
        id=f"thread {number}",
        process=Process(pid, 1.0),
        reason=reason,
        origin=origin,
        begun=begun,
        last_active=begun + timedelta(seconds=pid),
    )


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([thread(1)], [("activation", FIRST_USE)]),
        ([thread(1), replace(thread(1), cursor=9)], [("activation", FIRST_USE)]),
        ([thread(1), thread(1, pid=2)], [("activation", FIRST_USE), ("resume", "")]),
        (
            [thread(1), thread(1, pid=2, reason=CHANGED), thread(1, pid=3, reason=CHANGED)],
            [("activation", FIRST_USE), ("resume", CHANGED), ("resume", "")],
        ),
        (
            [
                thread(1),
                thread(1, pid=2, reason=CHANGED),
                replace(thread(1, pid=3, reason=CHANGED), prompt_hash="new"),
            ],
            [("activation", FIRST_USE), ("resume", CHANGED), ("resume", CHANGED)],
        ),
        (
            [thread(1), thread(2, pid=2, reason=LOST, origin=LOST)],
            [("activation", FIRST_USE), ("repair", LOST)],
        ),
        (
            [
                thread(1),
                successor(thread(1), CONTEXT_FULL),
                thread(2, reason=CONTEXT_FULL, origin=CONTEXT_FULL),
                successor(thread(2), RESET),
                thread(3, reason=RESET, origin=RESET),
            ],
            [("activation", FIRST_USE), ("repair", CONTEXT_FULL), ("repair", RESET)],
        ),
        # A first thread that was told nothing never came to be.
        ([replace(thread(1), id=None), thread(2)], [("activation", FIRST_USE)]),
        # Its first question failed and left with it.
        (
            [thread(1), replace(thread(1), spoiled=True), thread(2)],
            [("activation", FIRST_USE), ("repair", "")],
        ),
        # A row without a process says nothing of one.
        ([thread(1), replace(thread(1), process=None)], [("activation", FIRST_USE)]),
    ],
)
@scene
async def test_a_thread_begins_goes_on_and_is_replaced(
    rows: Sequence[Thread], told: list[tuple[str, str]], tmp_path: Path
) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for row in rows:
            await praetorium.threads.save(row)
        assert [(kind, text) for kind, _, text in await happened(praetorium)] == told


@scene
async def test_an_entry_of_a_thread_has_the_time_of_its_row(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for row in (thread(1), thread(1, pid=2), replace(thread(1, pid=2), process=Process(3, 1.0))):
            await praetorium.threads.save(row)
        first, second, third = await praetorium.feed.since(0, 10)
    assert (first.at, second.at) == (thread(1).begun, thread(1, pid=2).last_active)
    assert third.at.year >= 2026, "where the row has no new time it is the machine's"


@scene
async def test_who_is_recruited_under_an_old_name_is_another_one(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.threads.save(thread(1))
        await praetorium.threads.forget("pullo")
        await praetorium.threads.save(thread(2))
        assert [kind for kind, *_ in await happened(praetorium)] == 2 * ["activation"]


# --- killed ---------------------------------------------------------------------------------------------

_LAW = """
    SELECT turns.id FROM turns LEFT JOIN events ON events.turn = turns.id
    GROUP BY turns.id
    HAVING count(events.id) <> 1 + (turns.ended IS NOT NULL)
        OR count(*) FILTER (WHERE events.kind = 'user') <> 1
        OR count(*) FILTER (WHERE events.kind = 'assistant') <> (turns.state = 'answered')
        OR count(*) FILTER (WHERE events.kind = 'error') <> (turns.state = 'failed')
"""


def test_killed_at_any_instant_the_feed_says_what_the_record_says(tmp_path: Path) -> None:
    witness, chance, known = Witness(), Random(35), list[Entry]()

    @scene
    async def examine() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            assert await praetorium.database.rows(UNTOLD) == []
            entries = await praetorium.feed.since(0, 100_000)
        assert list(entries[: len(known)]) == known, "what had happened has happened"
        assert [entry.id for entry in entries] == list(range(1, len(entries) + 1))
        ends = {entry.turn for entry in entries if entry.kind is not EntryKind.USER}
        assert set(witness.said["ended"]) <= ends
        threads = [(entry.kind, entry.agent) for entry in entries if entry.turn is None]
        begun = [agent for kind, agent in threads if kind is EntryKind.ACTIVATION]
        assert sorted(begun) == sorted({agent for _, agent in threads}), "each thread begins once"
        assert {kind for kind, _ in threads} <= {EntryKind.ACTIVATION, EntryKind.RESUME}
        assert len(threads) <= 2 * LIVES, "and goes on once a process"
        known[:] = entries

    for _ in range(LIVES):
        one_life(tmp_path / "praetorium.db", 1 + chance.randrange(60), witness)
        examine()
    assert known
