"""The way of an answer, and what never arrived, as Caesar asks for them."""

from pathlib import Path

import pytest

from legio.bot.payload import TextMessage, encode
from legio.clock import SystemClock
from legio.ports import Parcel
from legio.praetorium import open_praetorium
from tests.e2e.world import world
from tests.scenes import scene

pytestmark = pytest.mark.cli

NOBODY = 424_242


@scene(deadline=60)
async def test_why_in_reply_to_an_answer_shows_its_way(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        answer = (await made.ask("@vorenus long 1500", answers=3))[-1]
        (way,) = await made.ask("/why", reply_to=answer.id)
        (none,) = await made.ask("/why", reply_to=way.id)
    lines = dict(line.split(": ", 1) for line in way.text.plain.splitlines())
    assert lines["Update"].isdecimal()
    assert (lines["Agent"], lines["Turn"], lines["Tries"], lines["Chunks"]) == ("vorenus", "1", "1", "3")
    assert lines["Model"].startswith("claude-")
    assert lines["Cost"] > "$0.0000"
    assert "no answer of an agent's" in none.text.plain


@scene(deadline=60)
async def test_what_never_arrived_is_listed_and_sent_again(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        async with open_praetorium(made.castra.database, SystemClock()) as other:
            await other.outbox.add([Parcel(NOBODY, encode(TextMessage("lost on the way")))])
        (nothing,) = await made.ask("/undelivered")
        (card,) = await made.ask("/undelivered")
        while not card.keyboard:  # the courier looks by itself; the scene has a deadline
            (card,) = await made.ask("/undelivered")
        outcome = await made.press(card, "Send again")
        await made.ask("ave")
        sends = [call for call in made.telegram.calls if str(call.arguments.get("chat_id")) == str(NOBODY)]
        (again,) = await made.ask("/undelivered")
    assert nothing.text.plain == "Everything was delivered, or is on its way."
    assert "lost on the way\n⛔ " in card.text.plain
    assert outcome.text.plain.endswith("→ Sent again: 1 message.")
    assert len(sends) == 2
    assert "lost on the way" in again.text.plain
