import asyncio

from telegram import Update
from telegram.error import NetworkError
from telegram.ext import ExtBot
from telegram.request import BaseRequest, RequestData

from legio.bot.cards import Cards
from legio.decisions import Choice, Decisions
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


def pressed(data: str, wire: Wire) -> Update:
    bot: ExtBot[None] = ExtBot("1:token", request=wire, get_updates_request=wire)
    made = Update.de_json({"update_id": 1, "callback_query": press(data)}, bot)
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
    cards = Cards(decisions)
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
    cards = Cards(Decisions(FakeClock()))
    query = pressed("choice:unknown:0", wire).callback_query
    assert query is not None
    await cards.press(query)
    await shown(cards)
    assert "this button is dead" in str(wire.calls[0][1]["text"])
    assert "this button is dead" in str(wire.calls[1][1]["text"])


@scene
async def test_a_network_that_is_down_ends_nothing() -> None:
    wire = Wire(broken=True)
    cards = Cards(Decisions(FakeClock()))
    query = pressed("choice:unknown:0", wire).callback_query
    assert query is not None
    await cards.press(query)
    await cards.press(query)
    await shown(cards)
    assert len(wire.calls) == 4
