"""Who was called and how each stands: one state a turn, one entry an agent, whatever comes and when."""

import asyncio
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from legio.bot.rollcall.roll import Roll
from legio.events import (
    Answered,
    Connected,
    Event,
    Failed,
    Fault,
    Held,
    Retrying,
    Stopped,
    Thinking,
    ToolEnded,
    ToolStarted,
    Usage,
    Waiting,
    Writing,
)
from legio.nuntius import TurnState
from legio.ports import Called
from tests.bot.rollcall.stage import DONE, PULLO, ROOT, VORENUS, dispatched, stage
from tests.bot.wire import Reply, flooded, refused, unanswered, unconnected

SIGNS = "✅⛔⏹"
AGENTS = ("brutus", "pullo", "vorenus")


def roll() -> Roll:
    return Roll(ROOT, 0.0, streaming=True)


def test_a_turn_that_has_ended_stays_as_it_ended() -> None:
    it = roll()
    it.note(VORENUS, DONE, 3.0)
    it.note(VORENUS, Stopped(), 4.0)
    it.note(VORENUS, Writing("late"), 5.0)
    (entry,) = it.called
    assert (entry.state, entry.draft, entry.seconds) == (TurnState.ANSWERED, "", 0.0)


def test_an_agent_who_was_called_more_than_once_stands_there_once_with_what_he_is_at() -> None:
    it = roll()
    it.note(VORENUS, Waiting(), 0.0)
    it.note(dispatched(VORENUS, 5), Thinking(), 1.0)
    assert [entry.turn for entry in it.called] == [5]
    it.note(dispatched(VORENUS, 5), Stopped(), 2.0)
    assert [entry.turn for entry in it.called] == [1]


def test_at_the_end_he_stands_there_as_he_ended_for_caesar_else_as_he_ended_last() -> None:
    it = roll()
    it.note(VORENUS, DONE, 1.0)
    it.note(dispatched(VORENUS, 5), Stopped(), 2.0)
    it.note(dispatched(PULLO, 6), Stopped(), 2.0)
    it.note(dispatched(PULLO, 7), DONE, 3.0)
    assert [entry.turn for entry in it.called] == [1, 7]


def test_what_the_record_says_comes_after_what_is_known_and_in_order() -> None:
    it = roll()
    it.note(PULLO, Thinking(), 1.0)
    it.recall(Called(2, "pullo", TurnState.PENDING, asked=True), 2.0)
    it.recall(Called(1, "vorenus", TurnState.ANSWERED, asked=True, seconds=4.0), 2.0)
    assert [(entry.agent, entry.state) for entry in it.called] == [
        ("vorenus", TurnState.ANSWERED),
        ("pullo", TurnState.RUNNING),
    ]


# --- whatever happens ---

STEPS = st.sampled_from(
    [
        Waiting(),
        Held("the budget"),
        Connected("t"),
        Thinking(),
        Writing("**a"),
        Writing("**a** ```\nb"),
        ToolStarted("list_acta"),
        ToolEnded("list_acta", failed=False),
        Retrying(1, 3, 2.0, 529),
    ]
)
ENDS = st.sampled_from(
    [
        Answered("x", Usage()),
        Failed(Fault.RATE_LIMIT, "x", until=datetime(2026, 3, 15, 9, tzinfo=UTC)),
        Failed(Fault.UNFIT, "x"),
        Stopped(),
    ]
)
TROUBLES = st.sampled_from([flooded(3), unconnected(), unanswered(), refused(502, "Bad Gateway")])


@dataclass(frozen=True)
class Deed:
    """Something that happens, and how long it is until the next."""

    event: Event
    agent: int
    root: int
    rest: float
    trouble: Reply | None


DEEDS = st.lists(
    st.builds(
        Deed,
        STEPS | ENDS,
        st.integers(0, 2),
        st.integers(0, 1),
        st.sampled_from([0.0, 0.3, 0.8, 2.5]),
        st.none() | st.none() | TROUBLES,
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(DEEDS, st.lists(ENDS, min_size=6, max_size=6))
def test_every_agent_ends_in_exactly_one_state_and_nothing_is_edited_after_the_fold(
    deeds: list[Deed], ends: list[Event]
) -> None:
    asyncio.run(_campaign(deeds, ends))


async def _campaign(deeds: list[Deed], ends: list[Event]) -> None:
    async with stage() as it:
        turns = [
            replace(VORENUS, id=1 + number + 3 * root, agent=AGENTS[number], root=ROOT + root)
            for root in range(2)
            for number in range(3)
        ]
        await it.call(*turns)
        for deed in deeds:
            if deed.trouble is not None:
                # What may have arrived at the first sending is left to itself, and is no scene for this.
                it.telegram.script["editMessageText"].append(deed.trouble)
            await it.show(deed.event, turns[deed.agent + 3 * deed.root], then=deed.rest)
        for turn, end in zip(turns, ends, strict=True):
            await it.show(end, turn, then=0.2)
        await it.clock.run(3600)

        messages: dict[int, list[str]] = {}
        for number, call in enumerate(it.telegram.of("sendMessage"), start=101):
            messages[number] = [call.parameters["text"]]
        for call in it.telegram.of("editMessageText"):
            messages[call.parameters["message_id"]].append(call.parameters["text"])
        assert len(messages) <= 2
        for texts in messages.values():
            folded = [number for number, text in enumerate(texts) if "⏳" not in text]
            assert folded, texts
            # A fold that Telegram did not answer is tried again as it was, and nothing else follows.
            assert len(set(texts[folded[0] :])) == 1
            for agent in AGENTS:
                assert len(re.findall(rf"[{SIGNS}] {agent}\b", texts[-1])) == 1
        assert it.record.rows == {}
        shown = len(it.shown)
        for turn in turns:
            await it.show(Writing("late"), turn, then=5)
        assert len(it.shown) == shown
