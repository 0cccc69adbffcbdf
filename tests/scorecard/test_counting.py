"""Whether the scorecard would notice what is lost, doubled, marked or told, in the chat and in the record."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from legio.bot.sending import DUPLICATE
from legio.castra import Castra
from legio.clock import SystemClock
from legio.endings import written
from legio.local.botapi.message import Message, Reply
from legio.local.botapi.state import BotApiState
from legio.local.botapi.text import Text
from legio.nuntius import CAESAR, LEGATUS, TurnState
from legio.ports import Ending, Letter
from legio.praetorium import open_praetorium
from tests.scenes import scene
from tests.scorecard.counting import Load, Owed, Said

CLOCK = SystemClock()


@dataclass
class Camp:
    """A site without any Legio: what one would have done is done by hand."""

    telegram: BotApiState
    castra: Castra

    def answer(self, said: Said, text: str) -> None:
        """The bot writes in reply to what Caesar said."""
        number, person = self.telegram.chats.number(), self.telegram.owner
        self.telegram.chats.add(
            Message(number, person, self.telegram.bot, CLOCK.now(), Text(text), reply=Reply(said.message))
        )

    async def record(self, said: Said, *agents: str, state: TurnState | None = TurnState.STOPPED) -> None:
        """What Caesar said, in the praetorium, with its turns, ended by `state` or left open by None."""
        async with open_praetorium(self.castra.database, CLOCK) as praetorium:
            await praetorium.inbox.put(Letter(said.update, "{}", CLOCK.now()))
            nuntius = written(CAESAR, said.text, agents, CLOCK.now())
            for turn in await praetorium.turns.admit(nuntius, agents, update_id=said.update):
                if state is not None:
                    await praetorium.turns.end(turn, Ending(state, None, ()))


@pytest.fixture
def camp(tmp_path: Path) -> Camp:
    return Camp(BotApiState(token="77:a", owner_id=77), Castra(tmp_path))


def owing(load: Load) -> list[str]:
    return [owed.agent for owed in load.owed]


def test_who_is_addressed_owes_an_answer(camp: Camp) -> None:
    load = Load(camp)
    marks = [load.say(), load.say("pullo", "brutus", rule="slow 2 then"), load.dispatch("pullo", "brutus")]
    assert [message.text.plain for message in camp.telegram.messages] == [
        "echo m0001",
        "@pullo @brutus slow 2 then echo m0002",
        "ask pullo and brutus to echo m0003",
    ]
    assert marks == ["m0001", "m0002", "m0003"]
    assert owing(load) == [LEGATUS, "pullo", "brutus", LEGATUS]


def test_everyone_owes_an_answer_to_all(camp: Camp) -> None:
    load = Load(camp, centuriones=("pullo",))
    load.say("all")
    assert owing(load) == [LEGATUS, "pullo"]


def test_the_same_seed_says_the_same(camp: Camp) -> None:
    first, second = Load(camp, seed=4), Load(camp, seed=4)
    for load in (first, second):
        for _ in range(40):
            load.anything()
    assert [said.text for said in first.said] == [said.text for said in second.said]
    assert {len(said.agents) for said in first.said} == {1, 2, 4}


@pytest.mark.parametrize(
    ("text", "marked", "told"),
    [
        ("⚔️ pullo — builds\n──\n\nm0001", False, False),
        ("⚔️ pullo", False, False),
        (f"{DUPLICATE}\n⚔️ pullo — builds\n──\n\nm0001", True, False),
        ("⛔ pullo: the model is overloaded.", False, True),
        (f"{DUPLICATE}\n⏹ pullo: stopped.", True, True),
        ("⌛ pullo: this waited for more than a day.", False, True),
    ],
)
def test_an_end_is_known_by_what_it_replies_to_and_who_is_named(
    camp: Camp, text: str, *, marked: bool, told: bool
) -> None:
    load = Load(camp)
    load.say("pullo")
    camp.answer(load.said[0], text)
    (end,) = load.ends
    assert (end.owed, end.marked, end.told) == (Owed(load.said[0].message, "pullo"), marked, told)
    assert load.open == ()


@pytest.mark.parametrize(
    "text",
    [
        "⚔️ vorenus — finds\n──\n\nm0001",
        "⚔️ pullo — builds\n──\n\nm0002",
        "⏳ pullo writing 2 s\nm0001",
        "♻️ Legio was restarted and takes up again:\n· pullo: echo m0001",
        "m0001",
    ],
)
def test_what_is_another_agents_anothers_answer_or_no_answer_ends_nothing(camp: Camp, text: str) -> None:
    load = Load(camp)
    load.say("pullo")
    load.say("pullo")
    camp.answer(load.said[0], text)
    assert load.ends == ()
    assert len(load.open) == 2


def test_a_mark_that_needed_a_message_of_its_own_stands_for_the_next(camp: Camp) -> None:
    load = Load(camp)
    load.say()
    for text in (DUPLICATE, "⚔️ legatus\n──\n\nm0001", "⚔️ legatus\n──\n\nm0001"):
        camp.answer(load.said[0], text)
    assert [end.marked for end in load.ends] == [True, False]


@scene
async def test_settled_waits_no_longer_than_it_may(camp: Camp) -> None:
    load = Load(camp)
    assert await load.settled() < 1
    load.say()
    assert await load.settled(seconds=0.01) >= 0.01


@scene
async def test_an_answer_that_comes_twice_is_doubled_unless_it_is_marked(camp: Camp) -> None:
    load = Load(camp)
    for number in range(3):
        load.say()
        await camp.record(load.said[number], LEGATUS)
        camp.answer(load.said[number], "⚔️ legatus")
    camp.answer(load.said[0], f"{DUPLICATE}\n⚔️ legatus")
    camp.answer(load.said[1], "⚔️ legatus")
    camp.answer(load.said[1], "⛔ legatus: it failed.")
    figures = await load.figures(tries=1, recovery=0.5, note="seen")
    assert (figures.received, figures.answered, figures.lost, figures.doubled) == (3, 3, 0, 2)
    assert (figures.tries, figures.recovery, figures.note) == (1, 0.5, "seen")


@scene
async def test_what_is_missing_in_the_chat_or_in_the_record_is_lost(camp: Camp) -> None:
    load = Load(camp)
    for _ in range(3):
        load.say("pullo", "brutus")
    in_both, silent, unrecorded = load.said
    await camp.record(in_both, "pullo", "brutus")
    await camp.record(silent, "pullo", "brutus")
    for said in (in_both, unrecorded):
        camp.answer(said, "⚔️ pullo")
        camp.answer(said, "⚔️ brutus")
    camp.answer(silent, "⚔️ brutus")
    figures = await load.figures(tries=1, recovery=0)
    assert (figures.received, figures.answered, figures.lost, figures.doubled) == (6, 3, 3, 0)


@scene
async def test_a_message_that_became_two_nuntii_is_doubled(camp: Camp) -> None:
    load = Load(camp)
    load.say()
    await camp.record(load.said[0], LEGATUS)
    await camp.record(Said(1, 1, "m0001", load.said[0].text, (LEGATUS,)), LEGATUS)
    camp.answer(load.said[0], "⚔️ legatus")
    figures = await load.figures(tries=1, recovery=0)
    assert (figures.lost, figures.doubled) == (0, 1)


@scene
async def test_a_turn_that_is_still_open_is_refused(camp: Camp) -> None:
    load = Load(camp)
    load.say()
    await camp.record(load.said[0], LEGATUS, state=None)
    with pytest.raises(AssertionError, match="pending=1"):
        await load.figures(tries=1, recovery=0)
