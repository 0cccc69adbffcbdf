"""Looking behind the agents and into the record, on the real line to Telegram and to the model."""

import json
from pathlib import Path

import pytest

from legio.local.botapi.message import Message
from tests.e2e.world import World, body, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli


def labels(message: Message) -> list[list[str]]:
    return [[button.label for button in row] for row in message.keyboard]


async def tapped(made: World, message: Message, label: str) -> None:
    (button,) = [button for row in made.now(message).keyboard for button in row if button.label == label]
    made.telegram.press(message.id, button.value)


@scene(deadline=90)
async def test_what_was_said_is_found_paged_in_place_after_a_restart_and_quoted(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            for number in range(4):
                await made.ask(f"@pullo echo the ford is {number} feet deep")
            (found,) = await made.ask("/search FORDS @caesar since:2026-01-01")
            (every,) = await made.ask("/search ford")
            (nothing,) = await made.ask('/search "NEAR(')
        async with made.legio():
            await tapped(made, every, "›")
            await until(lambda: "2/2" in made.now(every).text.plain + str(labels(made.now(every))))
            second = made.now(every)
            before = {message.id for message in made.telegram.messages}
            await tapped(made, every, "8")
            (quoted,) = await made.answers(before, 1)
    assert "4 found" in found.text.plain
    assert labels(found) == [["1", "2", "3", "4"]]
    assert "8 found" in every.text.plain
    assert labels(every) == [["1", "2", "3", "4", "5"], ["1/2", "›"]]
    bold = [entity for entity in every.text.entities if entity.type == "bold"]
    assert len(bold) == 5
    assert labels(second) == [["6", "7", "8"], ["‹", "2/2"]]
    assert quoted.reply is not None
    assert "the ford is" in quoted.text.plain
    assert "Nothing was found" in nothing.text.plain
    assert not made.telegram.refused


@scene(deadline=90)
async def test_model_and_effort_change_at_the_next_turn_and_the_thread_goes_on(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            await made.ask("@pullo the ford is deep")
            (card,) = await made.ask("/model @pullo")
            outcome = await made.press(card, "haiku")
            await made.ask("/effort @pullo low")
            (answer,) = await made.ask("@pullo what was said")
            (session,) = await made.ask("/session @pullo")
            (seen,) = await made.ask("/whosees", reply_to=answer.id)
        async with made.legio():
            (again,) = await made.ask("/model @pullo")
    first, *_, last = made.requests("pullo")
    assert "pullo has the model haiku" in outcome.text.plain
    assert first.model != last.model
    assert "haiku" in last.model
    assert "the ford is deep" in body(answer)
    assert "Model: haiku (set by /model for pullo)" in session.text.plain
    assert "Effort: low (set by /effort for pullo)" in session.text.plain
    assert "because this is its first use" in session.text.plain
    assert "Since then: its prompt, model or tools" in session.text.plain
    assert "pullo: said it himself" in seen.text.plain
    assert "Not by: brutus, vorenus" in seen.text.plain
    assert "pullo: haiku (set by /model for pullo)" in again.text.plain


@scene(deadline=90)
async def test_an_agent_looks_for_what_was_said_and_never_finds_what_he_may_not_see(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        await made.ask("@vorenus echo the eagle is buried at the ford")
        find = "tool search_praetorium " + json.dumps({"query": "eagle", "limit": 5})
        (his,) = await made.ask(f"@vorenus {find}")
        (another,) = await made.ask(f"@pullo {find}")
    assert "buried" in body(his)
    assert "buried" not in body(another)
