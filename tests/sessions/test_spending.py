"""What a session does about money: it waits where there is too little, and loses nothing by it."""

import asyncio
from pathlib import Path

from legio.config import BudgetConfig
from legio.events import Held
from legio.legatus import HELD
from legio.nuntius import Tally
from tests.camp import Legion, Setting, legion
from tests.fakes import Stage
from tests.scenes import TICK_SECONDS, scene, until

ONE_TURN = Setting(budget=BudgetConfig(day_usd=0.015, cheaper_model="cheap"))
"""Each turn of a stage costs a cent."""


async def card(camp: Legion, number: int = 0) -> dict[str, str]:
    """The buttons of the card of that number, by label."""
    async with asyncio.timeout(10):
        while True:
            cards = [it for it in await camp.sent() if "budget" in str(it["text"]) and it.get("buttons")]
            if len(cards) > number:
                buttons = cards[number]["buttons"]
                assert isinstance(buttons, list)
                return dict(buttons)
            await asyncio.sleep(TICK_SECONDS)


async def press(camp: Legion, label: str, number: int = 0) -> str:
    return await camp.decisions.press((await card(camp, number))[label])


@scene
async def test_above_the_budget_a_turn_waits_as_pending_and_begins_at_caesars_word(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage, ONE_TURN) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        (turn,) = await camp.say("@vorenus two")
        await card(camp)
        (waiting,) = await camp.praetorium.turns.open()
        (status,) = [it for it in camp.legatus.status() if it.name == "vorenus"]
        assert (waiting.id, waiting.interrupted, status.state) == (turn.id, False, HELD)
        assert ("vorenus", Held("the budget")) in camp.messenger.events
        assert stage.live == 0, "who may wait for hours holds no process"
        await press(camp, "+50 % for today")
        await camp.settled(2)
        assert camp.legatus.status()[-1].state == "awake"
        assert await camp.praetorium.turns.tally() == Tally(2, 2, 0, 0, 0, 0)
    assert stage.briefs[1].model is None


@scene
async def test_the_cheaper_model_answers_this_once_on_the_same_thread(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage, ONE_TURN) as camp:
        for number in (1, 2):
            await camp.say(f"@vorenus order {number}")
            if number == 2:
                await press(camp, "Once with cheap")
            await camp.settled(number)
        await camp.say("@vorenus order 3")
        await press(camp, "+100 % for today", 1)
        await camp.settled(3)
    assert [brief.model for brief in stage.briefs] == [None, "cheap", None]
    assert len({brief.thread for brief in stage.briefs}) == 1


@scene
async def test_all_who_wait_are_stopped_by_one_press_and_the_law_holds(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage, ONE_TURN) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        await camp.say("@vorenus @pullo @brutus two")
        await until(lambda: sum(it.held for it in camp.sessions.all()) == 3, what="three who wait")
        assert await press(camp, "Stop") == "stopped: vorenus, pullo, brutus."
        await camp.settled(4)
        assert await camp.praetorium.turns.tally() == Tally(4, 1, 0, 3, 0, 0)
        cards = [it for it in await camp.sent() if "choice:" in str(it.get("buttons"))]
        assert len(cards) == 1, "one card, not one a turn"


@scene
async def test_a_dispatch_is_bound_too_and_its_stop_reaches_who_asked(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage, ONE_TURN) as camp:

        async def say(text: str) -> str:
            if "ask pullo" in text:
                try:
                    return await camp.legatus.dispatches.ask("pullo", "do it")
                except Exception as error:  # noqa: BLE001  (what the model would read)
                    return f"refused: {error}"
            return "done"

        stage.say = say
        await camp.say("ask pullo")
        await press(camp, "Stop")
        await camp.settled(2)
        said = (await camp.record())[-1]
    assert (said.sender, said.text) == ("legatus", "refused: ⏹ pullo: stopped.")
    assert stage.texts("pullo") == []


@scene
async def test_what_waits_at_a_restart_is_asked_again_and_answered_once(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage, ONE_TURN) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        await camp.say("@vorenus two")
        await card(camp)
    async with legion(tmp_path / "castra", stage, ONE_TURN) as camp:
        assert len(await camp.legatus.take_up()) == 1
        await press(camp, "+50 % for today", 1)
        await camp.settled(1)
        assert await camp.praetorium.turns.tally() == Tally(2, 2, 0, 0, 0, 0)
    assert sum("two" in text for text in stage.texts("vorenus")) == 1


@scene
async def test_a_turn_that_waits_for_money_is_stopped_like_any_other(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage(), ONE_TURN) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        await camp.say("@vorenus two")
        await until(lambda: any(it.held for it in camp.sessions.all()), what="one who waits")
        assert len(camp.legatus.stop("vorenus")) == 1
        await camp.settled(2)
        await camp.say("@vorenus three")
        (turn,) = camp.legatus.stop()
        await camp.settled(3)
        assert turn.nuntius.text == "@vorenus three"
        assert (await camp.praetorium.turns.tally()).stopped == 2


@scene
async def test_what_a_turn_at_work_may_need_is_not_given_to_another(tmp_path: Path) -> None:
    stage, done = Stage(), asyncio.Event()

    async def say(_: str) -> str:
        await done.wait()
        return "done"

    stage.say = say
    async with legion(tmp_path / "castra", stage, ONE_TURN) as camp:
        await camp.say("@vorenus one")
        await until(lambda: stage.asked, what="vorenus at work")
        await camp.say("@pullo two")
        buttons = await card(camp)
        assert stage.texts("pullo") == []
        done.set()
        await camp.settled(1)
        await camp.decisions.press(buttons["+50 % for today"])
        await camp.settled(2)
        assert (await camp.praetorium.turns.tally()).answered == 2


@scene
async def test_without_a_budget_nobody_is_asked_anything(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage(), Setting()) as camp:
        await camp.say("@all report")
        await camp.settled(4)
        assert all(not it.get("buttons") for it in await camp.sent())
