from dataclasses import replace
from datetime import UTC, datetime

import pytest

from legio.bot.desk import Call, Misused, Reply
from legio.bot.payload import DocumentMessage, Message, TextMessage, encode
from legio.bot.ways import undelivered, why
from legio.clock import SystemClock
from legio.decisions import Decisions
from legio.events import Usage
from legio.nuntius import Nuntius, Turn
from legio.ports import Parcel, Passage, Undelivered, Unsent
from tests.fakes import NotingMessenger
from tests.scenes import scene

THEN = datetime(2026, 11, 21, 3, 4, 5, tzinfo=UTC)
QUESTION = Nuntius("q", "caesar", "how deep?", ("vorenus",), THEN, seq=7)
REPLY = Nuntius("r", "vorenus", "so deep", ("caesar",), THEN, reply_to="q", seq=8)
USAGE = Usage(
    input_tokens=1_200,
    output_tokens=34,
    cache_read_tokens=56_000,
    cache_write_tokens=7,
    cost_usd=0.01234,
    context_tokens=57_241,
    model="claude-sonnet-4-5",
)
PASSAGE = Passage(501, Turn(3, "vorenus", QUESTION, root=7), REPLY, USAGE, seconds=12.34, tries=2, parcels=3)


class FixedLedger:
    """A `Ledger` that says what it was made with."""

    def __init__(self, passage: Passage | None = None, given_up: tuple[Undelivered, ...] = ()) -> None:
        self._passage = passage
        self._given_up = given_up
        self.asked: list[int] = []

    async def passage(self, message: int) -> Passage | None:
        self.asked.append(message)
        return self._passage

    async def undelivered(self) -> tuple[Undelivered, ...]:
        return self._given_up

    async def retry(self) -> int:
        count, self._given_up = len(self._given_up), ()
        return count

    async def passages(self, seq: int) -> tuple[Passage, ...]:
        raise NotImplementedError(seq)

    async def unsent(self) -> tuple[Unsent, ...]:
        raise NotImplementedError


async def listed(ledger: FixedLedger) -> Reply:
    return await undelivered(ledger, Decisions(SystemClock()), NotingMessenger())


def given_up(message: Message | str, number: int = 1) -> Undelivered:
    payload = message if isinstance(message, str) else encode(message)
    return Undelivered(number, Parcel(77, payload), "Forbidden: bot was blocked by the user", THEN)


@scene
async def test_the_way_of_an_answer_is_told_line_by_line() -> None:
    ledger = FixedLedger(PASSAGE)

    reply = await why(ledger, Call("", reply_to=900))

    assert ledger.asked == [900]
    assert reply.text.splitlines() == [
        "Update: 501",
        "Nuntius: 7; answered by nuntius 8",
        "Turn: 3",
        "Agent: vorenus",
        "Model: claude-sonnet-4-5",
        "Tokens: 1,200 in, 56,000 read from the cache, 7 written to it, 34 out; context 57,241",
        "Cost: $0.0123",
        "Seconds: 12.3",
        "Tries: 2",
        "Chunks: 3",
    ]


@scene
async def test_what_is_not_known_is_said_and_a_dispatch_names_its_root() -> None:
    turn = replace(PASSAGE.turn, root=5)
    passage = replace(PASSAGE, update_id=None, turn=turn, usage=Usage())

    reply = await why(FixedLedger(passage), Call("", reply_to=900))

    assert "Update: not recorded\n" in reply.text
    assert "Nuntius: 7, dispatched for nuntius 5; answered by nuntius 8\n" in reply.text
    assert "Model: not known\n" in reply.text


@scene
async def test_a_message_without_an_answer_has_no_way() -> None:
    reply = await why(FixedLedger(), Call("", reply_to=900))

    assert reply.text == "That message carried no answer of an agent's, so there is no way to show."


@scene
async def test_without_a_message_replied_to_it_is_said_how_to_ask() -> None:
    with pytest.raises(Misused, match="in reply to an agent's answer"):
        await why(FixedLedger(), Call(""))


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (TextMessage("The ford\nis deep."), "The ford is deep."),
        (TextMessage("x" * 61), "x" * 59 + "…"),
        (DocumentMessage("vorenus-7.md", "all of it"), "vorenus-7.md"),
        ("of another time", "(cannot be read)"),
    ],
)
@scene
async def test_what_never_arrived_is_listed_with_its_first_words_and_the_reason(
    message: Message | str, shown: str
) -> None:
    reply = await listed(FixedLedger(given_up=(given_up(message),)))

    assert reply.text == f"11-21 03:04 UTC: {shown}\n⛔ Forbidden: bot was blocked by the user"
    assert [button.label for button in reply.buttons] == ["Send again"]


@scene
async def test_a_long_list_is_cut() -> None:
    many = tuple(given_up(TextMessage(f"number {number}"), number) for number in range(21))

    reply = await listed(FixedLedger(given_up=many))

    assert "number 19\n" in reply.text
    assert reply.text.endswith("… and more.")


@pytest.mark.parametrize(("count", "said"), [(1, "Sent again: 1 message."), (2, "Sent again: 2 messages.")])
@scene
async def test_the_button_sends_all_of_it_again(count: int, said: str) -> None:
    ledger = FixedLedger(given_up=tuple(given_up(TextMessage("word"), it) for it in range(count)))
    decisions, messenger = Decisions(SystemClock()), NotingMessenger()
    reply = await undelivered(ledger, decisions, messenger)

    assert await decisions.press(reply.buttons[0].data) == said
    assert await ledger.undelivered() == ()
    assert messenger.wakes == 1


@scene
async def test_with_nothing_given_up_there_is_no_button() -> None:
    reply = await listed(FixedLedger())

    assert (reply.text, reply.buttons) == ("Everything was delivered, or is on its way.", ())
