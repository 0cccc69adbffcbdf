import asyncio
import json

from telegram import Update
from telegram.error import NetworkError
from telegram.ext import ExtBot
from telegram.request import BaseRequest, RequestData

from legio.bot.cards import MOST_ENDED, OVER, Cards
from legio.bot.payload import DocumentMessage, Message, TextMessage, encode
from legio.bot.piece import Entity
from legio.decisions import Choice, Decisions
from legio.ports import Button, Parcel
from tests.bot.updates import press
from tests.clocks import FakeClock, settled
from tests.scenes import scene


class Wire(BaseRequest):
    """A line to Telegram that keeps what is sent, and breaks when told to."""

    def __init__(self, *, broken: bool = False) -> None:
        self.calls: list[tuple[str, dict[str, object]]] = []
        self.broken = broken

    @property
    def read_timeout(self) -> float | None:
        return 1.0

    async def initialize(self) -> None:
        """Nothing to open."""

    async def shutdown(self) -> None:
        """Nothing to close."""

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: object, **__: object
    ) -> tuple[int, bytes]:
        self.calls.append((url.rpartition("/")[2], dict(request_data.parameters) if request_data else {}))
        if self.broken:
            raise NetworkError("down")
        return 200, b'{"ok": true, "result": true}'


def bot_of(wire: Wire) -> ExtBot[None]:
    return ExtBot("1:token", request=wire, get_updates_request=wire)


def pressed(data: str, wire: Wire) -> Update:
    made = Update.de_json({"update_id": 1, "callback_query": press(data)}, bot_of(wire))
    assert made is not None
    return made


async def shown(cards: Cards) -> None:
    task = asyncio.create_task(cards.run(), name="cards")
    await settled()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def yes() -> str:
    return "It is done."


@scene
async def test_the_outcome_is_written_on_the_card_and_its_buttons_go() -> None:
    wire, decisions = Wire(), Decisions(FakeClock())
    cards = Cards(decisions, bot_of(wire))
    (button,) = decisions.offer([Choice("Yes", yes)])
    query = pressed(button.data, wire).callback_query
    assert query is not None
    await cards.press(query)
    assert wire.calls == [], "the press itself waits for no network"
    await shown(cards)
    (answered, toast), (edited, card) = wire.calls
    assert (answered, toast["text"]) == ("answerCallbackQuery", "It is done.")
    assert (edited, card["text"]) == ("editMessageText", "Sure?\n\n→ It is done.")
    assert "reply_markup" not in card


@scene
async def test_a_dead_button_says_that_it_is_dead() -> None:
    wire = Wire()
    cards = Cards(Decisions(FakeClock()), bot_of(wire))
    query = pressed("choice:unknown:0", wire).callback_query
    assert query is not None
    await cards.press(query)
    await shown(cards)
    assert "this button is dead" in str(wire.calls[0][1]["text"])
    assert "this button is dead" in str(wire.calls[1][1]["text"])


@scene
async def test_a_network_that_is_down_ends_nothing() -> None:
    wire = Wire(broken=True)
    cards = Cards(Decisions(FakeClock()), bot_of(wire))
    query = pressed("choice:unknown:0", wire).callback_query
    assert query is not None
    await cards.press(query)
    await cards.press(query)
    await shown(cards)
    assert len(wire.calls) == 4


def card(buttons: tuple[Button, ...], text: str = "Sure?", *entities: Entity) -> Parcel:
    return parcel(TextMessage(text, entities, buttons=(buttons,)))


def parcel(message: Message) -> Parcel:
    return Parcel(77, encode(message))


@scene
async def test_a_second_thumb_does_not_write_over_what_the_first_one_did() -> None:
    wire, decisions = Wire(), Decisions(FakeClock())
    cards = Cards(decisions, bot_of(wire))
    (button,) = decisions.offer([Choice("Yes", yes)])
    for _ in range(2):
        query = pressed(button.data, wire).callback_query
        assert query is not None
        await cards.press(query)
    await shown(cards)
    toasts = [sent["text"] for method, sent in wire.calls if method == "answerCallbackQuery"]
    texts = [sent["text"] for method, sent in wire.calls if method == "editMessageText"]
    assert [str(toast)[:12] for toast in toasts] == ["It is done.", "this button "]
    assert texts == ["Sure?\n\n→ It is done."] * 2


@scene
async def test_a_question_that_is_over_without_a_press_is_written_on_its_card() -> None:
    wire, decisions = Wire(), Decisions(FakeClock())
    cards = Cards(decisions, bot_of(wire))
    buttons = decisions.offer([Choice("Yes", yes)])
    cards.placed(card(buttons, "Run?\n\nls", Entity("pre", 6, 2, language="bash")), 5)
    assert wire.calls == []
    decisions.withdraw(buttons, "Never mind.")
    await shown(cards)
    ((method, sent),) = wire.calls
    assert (method, sent["chat_id"], sent["message_id"]) == ("editMessageText", 77, 5)
    assert sent["text"] == "Run?\n\nls\n\n→ Never mind."
    (entity,) = json.loads(json.dumps(sent["entities"]))
    assert (entity["type"], entity["offset"], entity["length"], entity["language"]) == ("pre", 6, 2, "bash")


@scene
async def test_a_card_that_is_sent_when_its_question_is_over_says_so_at_once() -> None:
    wire, decisions = Wire(), Decisions(FakeClock())
    cards = Cards(decisions, bot_of(wire))
    buttons = decisions.offer([Choice("Yes", yes)])
    decisions.withdraw(buttons, "Never mind.")
    cards.placed(card(buttons), 5)
    cards.placed(card((Button("Yes", "choice:of-an-earlier-process:0"),)), 6)
    await shown(cards)
    assert [sent["text"] for _, sent in wire.calls] == ["Sure?\n\n→ Never mind.", f"Sure?\n\n→ {OVER}"]


@scene
async def test_what_is_no_card_is_left_alone_and_long_ones_leave_room_for_the_outcome() -> None:
    wire, decisions = Wire(), Decisions(FakeClock())
    cards = Cards(decisions, bot_of(wire))
    for message in (
        TextMessage("plain"),
        TextMessage('of "choice:x:0"'),
        TextMessage("other", buttons=((Button("Stop", "turn:stop:1"),),)),
        DocumentMessage("a.md", '"choice:x:0"'),
    ):
        cards.placed(parcel(message), 5)
    long = decisions.offer([Choice("Yes", yes)])
    cards.placed(card(long, "word " * 800), 6)
    decisions.withdraw(long, "so " * 1000)
    await shown(cards)
    ((_, sent),) = wire.calls
    assert len(str(sent["text"])) <= 4096
    assert "→ so so" in str(sent["text"])


@scene
async def test_last_words_are_kept_for_a_while_and_flushing_waits_for_what_is_known() -> None:
    wire, decisions = Wire(), Decisions(FakeClock())
    cards = Cards(decisions, bot_of(wire))
    first = decisions.offer([Choice("Yes", yes)])
    decisions.withdraw(first, "Never mind.")
    for _ in range(MOST_ENDED):
        decisions.withdraw(decisions.offer([Choice("Yes", yes)]), "Never mind.")
    cards.placed(card(first), 5)
    await cards.flush(0.01)
    assert wire.calls == [], "nobody writes"
    writing = asyncio.create_task(cards.run(), name="cards")
    await cards.flush(10)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    assert [sent["text"] for _, sent in wire.calls] == [f"Sure?\n\n→ {OVER}"]
