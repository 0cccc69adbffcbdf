"""Who may begin, who waits, and what each button of the one card does for all of them."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from legio.budget import Cap
from legio.budget.purse import CARD_SECONDS, LEAST_USD, LOOK_SECONDS, NOBODY_WAITS
from legio.config import BudgetConfig
from legio.days import day_of
from legio.errors import Refused
from legio.ports import Leave
from tests.budget.purses import ZONE, table
from tests.clocks import FakeClock, settled
from tests.scenes import TICK_SECONDS, scene

DAY = BudgetConfig(day_usd=1.0)
RAISE, CHEAPER, STOP = "+50 % for today", "Once with haiku", "Stop"


@scene
async def test_a_turn_begins_when_it_fits_and_not_when_it_does_not(tmp_path: Path) -> None:
    async with table(tmp_path, DAY) as laid:
        assert await laid.budget.reserve(await laid.turn()) == Leave()
        await laid.spent(0.99)
        assert await laid.budget.reserve(await laid.turn()) is None


@scene
async def test_what_is_set_aside_for_turns_at_work_counts_until_they_end(tmp_path: Path) -> None:
    async with table(tmp_path, DAY) as laid:
        await laid.spent(0.4, "pullo")
        first, second = await laid.turn("pullo"), await laid.turn("pullo")
        assert await laid.budget.reserve(first) == Leave()
        assert await laid.budget.reserve(second) is None, "0.40 spent, 0.40 set aside, 0.40 wanted"
        await laid.end(first, 0.1)
        assert await laid.budget.reserve(second) == Leave()


@scene
async def test_turns_that_ask_at_once_never_get_the_same_money(tmp_path: Path) -> None:
    async with table(tmp_path, BudgetConfig(day_usd=0.03)) as laid:
        turns = [await laid.turn(f"agent{number}") for number in range(6)]
        leaves = await asyncio.gather(*map(laid.budget.reserve, turns))
    assert sum(leave is not None for leave in leaves) == 3


@scene
async def test_an_estimate_is_the_median_of_the_agents_last_turns(tmp_path: Path) -> None:
    async with table(tmp_path, DAY) as laid:
        for usd in (0.05, 0.60, 0.05):
            await laid.spent(usd)
        turn = await laid.turn()
        assert await laid.budget.reserve(turn) == Leave(), "one dear turn is no rule: 0.70 + 0.05"
        laid.budget.release(turn)
        await laid.spent(0.26)
        assert await laid.budget.reserve(await laid.turn()) is None


@scene
async def test_an_agents_own_cap_holds_him_alone(tmp_path: Path) -> None:
    async with table(tmp_path, BudgetConfig(agent_day_usd=0.5)) as laid:
        await laid.spent(0.5, "vorenus")
        assert await laid.budget.reserve(await laid.turn("vorenus")) is None
        assert await laid.budget.reserve(await laid.turn("pullo")) == Leave()


@scene
async def test_all_who_wait_stand_on_one_card_and_a_raise_lets_all_of_them_begin(tmp_path: Path) -> None:
    async with table(tmp_path, DAY) as laid:
        await laid.spent(0.2, "pullo")
        await laid.spent(0.9, "vorenus")
        turns = [await laid.turn(agent) for agent in ("vorenus", "pullo")]
        words = [asyncio.create_task(laid.budget.word(turn)) for turn in turns]
        text, buttons = await laid.asked()
        assert text == (
            "💰 Today's budget does not bear another turn.\nEverybody: $1.10 of $1.00 spent.\n\n"
            "Waiting for your word: vorenus (about $0.90), pullo (about $0.20).\n"
            "Without it they begin when a new day does."
        )
        assert list(buttons) == ["+150 % for today", CHEAPER, STOP]
        said = await laid.press("+150 % for today")
        assert await asyncio.gather(*words) == [Leave(), Leave()]
        assert said == "raised for today: everybody +$1.50."
        assert len(laid.cards) == 1


@scene
async def test_the_cap_that_binds_is_the_one_that_is_raised(tmp_path: Path) -> None:
    async with table(tmp_path, BudgetConfig(day_usd=5.0, agent_day_usd=0.5)) as laid:
        await laid.spent(0.5)
        word = asyncio.create_task(laid.budget.word(await laid.turn()))
        text, _ = await laid.asked()
        assert "vorenus: $0.50 of $0.50 spent." in text
        assert "Everybody" not in text
        assert await laid.press("+100 % for today") == "raised for today: vorenus +$0.50."
        assert await word == Leave()


@scene
async def test_a_raise_holds_for_the_day_and_outlives_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    async with table(tmp_path, DAY, clock) as laid:
        await laid.spent(1.0, "pullo")
        word = asyncio.create_task(laid.budget.word(await laid.turn()))
        await laid.press(RAISE)
        assert await word == Leave()
    async with table(tmp_path, DAY, clock) as laid:
        assert await laid.budget.reserve(await laid.turn()) == Leave()
        clock.advance(24 * 3600)
        await laid.spent(1.0, "pullo")
        assert await laid.budget.reserve(await laid.turn()) is None, "yesterday's raise is not today's"


@scene
async def test_the_cheaper_model_is_for_all_who_wait_and_for_this_once(tmp_path: Path) -> None:
    async with table(tmp_path, DAY) as laid:
        await laid.spent(1.0)
        turns = [await laid.turn(), await laid.turn("pullo")]
        words = [asyncio.create_task(laid.budget.word(turn)) for turn in turns]
        await laid.asked()
        assert await laid.press(CHEAPER) == "this once with haiku: vorenus, pullo."
        assert await asyncio.gather(*words) == [Leave("haiku"), Leave("haiku")]
        assert await laid.budget.reserve(await laid.turn()) is None
        await laid.end(turns[0], 0.1)
        again = asyncio.create_task(laid.budget.word(await laid.turn()))
        await laid.asked(2)
        again.cancel()
        await asyncio.gather(again, return_exceptions=True)


@scene
async def test_stop_ends_all_who_wait(tmp_path: Path) -> None:
    async with table(tmp_path, DAY) as laid:
        await laid.spent(1.0)
        words = [asyncio.create_task(laid.budget.word(await laid.turn())) for _ in range(2)]
        await laid.asked()
        assert await laid.press(STOP) == "stopped: vorenus."
        assert await asyncio.gather(*words) == [None, None]


@scene
async def test_whoever_is_withdrawn_waits_no_longer_and_the_card_says_so(tmp_path: Path) -> None:
    ended: list[str] = []
    async with table(tmp_path, DAY) as laid:
        laid.decisions.listen(lambda _, said: ended.append(said))
        await laid.spent(1.0)
        turn = await laid.turn()
        laid.budget.withdraw(turn)
        word = asyncio.create_task(laid.budget.word(turn))
        await laid.asked()
        laid.budget.withdraw(turn)
        laid.budget.withdraw(turn)
        assert await word is None
        assert ended == [NOBODY_WAITS]
        with pytest.raises(Refused, match="dead"):
            await laid.press(STOP)
        later = asyncio.create_task(laid.budget.word(await laid.turn()))
        assert await laid.press("+100 % for today", card=2)
        assert await later == Leave()


@scene
async def test_a_press_that_comes_as_the_last_one_goes_changes_nothing(tmp_path: Path) -> None:
    for label in ("+100 % for today", CHEAPER, STOP):
        async with table(tmp_path / label[0], DAY) as laid:
            await laid.spent(1.0)
            turn = await laid.turn()
            word = asyncio.create_task(laid.budget.word(turn))
            await laid.asked()
            laid.budget.withdraw(turn)
            assert await laid.press(label) == NOBODY_WAITS
            assert await word is None
            assert await laid.budget.reserve(await laid.turn()) is None


@scene
async def test_money_that_comes_free_lets_the_next_one_begin_without_a_word(tmp_path: Path) -> None:
    async with table(tmp_path, BudgetConfig(day_usd=0.015)) as laid:
        first, second = await laid.turn(), await laid.turn()
        assert await laid.budget.reserve(first) == Leave()
        word = asyncio.create_task(laid.budget.word(second))
        await laid.asked()
        await laid.end(first, 0.001)
        assert await word == Leave()


@scene
async def test_a_new_day_lets_everybody_begin(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2026, 11, 21, 22, 59, tzinfo=UTC))
    async with table(tmp_path, DAY, clock) as laid:
        await laid.spent(1.0)
        word = asyncio.create_task(laid.budget.word(await laid.turn()))
        await laid.asked()
        clock.advance(60)
        async with asyncio.timeout(10):
            while not word.done():
                clock.advance(LOOK_SECONDS)
                await asyncio.sleep(TICK_SECONDS)
        assert await word == Leave(), "it is midnight in Rome"


@scene
async def test_a_card_that_expired_is_asked_again_and_one_that_lives_is_not(tmp_path: Path) -> None:
    async with table(tmp_path, BudgetConfig(day_usd=0.01, cheaper_model="cheap")) as laid:
        await laid.spent(0.01)
        word = asyncio.create_task(laid.budget.word(await laid.turn()))
        await laid.asked()
        for _ in range(50):
            laid.clock.advance(LOOK_SECONDS / 10)
            await asyncio.sleep(TICK_SECONDS)
        assert len(laid.cards) == 1
        laid.clock.advance(CARD_SECONDS)
        _, buttons = await laid.asked(2)
        assert "Once with cheap" in buttons
        await laid.press(STOP, card=2)
        assert await word is None


@scene
async def test_who_comes_while_the_card_lies_there_is_on_it(tmp_path: Path) -> None:
    async with table(tmp_path, DAY) as laid:
        await laid.spent(1.0)
        first = asyncio.create_task(laid.budget.word(await laid.turn()))
        await laid.asked()
        second = asyncio.create_task(laid.budget.word(await laid.turn("pullo")))
        await settled()
        assert await laid.press(CHEAPER) == "this once with haiku: vorenus, pullo."
        assert list(await asyncio.gather(first, second)) == [Leave("haiku"), Leave("haiku")]
    assert len(laid.cards) == 1


@scene
async def test_a_waiter_who_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    async with table(tmp_path, DAY) as laid:
        await laid.spent(1.0)
        word = asyncio.create_task(laid.budget.word(await laid.turn()))
        await laid.asked()
        word.cancel()
        await asyncio.gather(word, return_exceptions=True)
        with pytest.raises(Refused, match="dead"):
            await laid.press(STOP)


@scene
async def test_while_a_press_is_being_done_nobody_is_asked_again(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with table(tmp_path, DAY, gate=gate) as laid:
        await laid.spent(1.0)
        first = asyncio.create_task(laid.budget.word(await laid.turn()))
        await laid.asked()
        pressing = asyncio.create_task(laid.press("+100 % for today"))
        second = asyncio.create_task(laid.budget.word(await laid.turn("pullo")))
        for _ in range(50):
            laid.clock.advance(LOOK_SECONDS / 10)
            await asyncio.sleep(TICK_SECONDS)
        assert len(laid.cards) == 1
        gate.set()
        await pressing
        assert await first == Leave()
        laid.budget.withdraw((await laid.praetorium.turns.open())[-1])
        await second


@scene
async def test_today_shows_the_cap_of_all_and_of_each_who_has_to_do_with_his(tmp_path: Path) -> None:
    async with table(tmp_path, BudgetConfig(day_usd=5.0, agent_day_usd=1.0)) as laid:
        assert await laid.budget.today() == (Cap("", 5.0, 0.0, 0.0, 0.0),)
        await laid.spent(0.25, "vorenus")
        await laid.budget.reserve(await laid.turn("pullo"))
        await laid.praetorium.costs.raise_caps(day_of(laid.clock.now(), ZONE), {"": 2.5, "brutus": 0.5})

        assert await laid.budget.today() == (
            Cap("", 5.0, 2.5, 0.25, LEAST_USD),
            Cap("brutus", 1.0, 0.5, 0.0, 0.0),
            Cap("pullo", 1.0, 0.0, 0.0, LEAST_USD),
            Cap("vorenus", 1.0, 0.0, 0.25, 0.0),
        )


@scene
async def test_today_shows_no_cap_that_is_not_set(tmp_path: Path) -> None:
    async with table(tmp_path, BudgetConfig(agent_day_usd=1.0)) as laid:
        assert await laid.budget.today() == ()
        await laid.spent(0.25, "vorenus")
        assert [cap.whose for cap in await laid.budget.today()] == ["vorenus"]
