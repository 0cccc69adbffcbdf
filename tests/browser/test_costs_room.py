"""The room Costs and health as a person meets it: charts that say what the record says, signs that live."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.async_api import Expect, Locator, Page

from legio.config import BudgetConfig
from legio.console.quantities import counted as in_words
from legio.console.quantities import dollars
from legio.console.rooms.costs import costs_room
from legio.days import beginning, day_of, last_days
from legio.nuntius import TurnState
from legio.ports import Reception
from tests.browser.axe import faults
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.budget.purses import ZONE
from tests.console.rig import page_of
from tests.console.rooms.costing import USAGE, Counted, counted
from tests.scenes import TICK_SECONDS, scene
from tests.scorecard.table import page as scorecard_page
from tests.scorecard.test_table import RESULTS

pytestmark = pytest.mark.browser

PATIENCE_MS = 30_000
expect = Expect()  # our own: what is set on the one of the library holds for everybody
expect.set_options(timeout=PATIENCE_MS)
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
LONGEST = "w" * 32
DAY = timedelta(days=1)
FITTED = """[...document.querySelectorAll(".picture")].filter((it) => it.querySelector("svg")).every(
    (it) => Math.abs(it.clientWidth - it.querySelector("svg").getAttribute("width")) < 8)"""


@contextlib.asynccontextmanager
async def met(folder: Path, budget: BudgetConfig | None = None) -> AsyncIterator[tuple[Counted, Visit]]:
    """The room, open on a phone: on a filled record where there is a budget, else on an empty one."""
    async with counted(folder, budget) as record, page_of(costs_room(record.sources)) as url:
        if budget is not None:
            await filled(record)
        async with visit(url, NARROW) as visited:
            visited.page.set_default_timeout(PATIENCE_MS)
            yield record, visited


async def filled(record: Counted) -> None:
    """Twelve agents in thirty days: one day of next to nothing, one very dear, some failures."""
    await record.took("vorenus", replace(USAGE, cost_usd=300.0), back=2 * DAY, seconds=5000)
    await record.took(LONGEST, replace(USAGE, cost_usd=0.0001, model=HOSTILE), back=10 * DAY)
    for number in range(10):
        usage = replace(USAGE, cost_usd=20.0 + number)
        await record.took(f"agent{number}", usage, back=number * DAY / 2, seconds=60.0 * number)
        state = TurnState.FAILED if number % 3 else TurnState.ANSWERED
        await record.took(f"agent{number}", usage, back=number * 3 * DAY, state=state)


async def fits(page: Page) -> None:
    """Nothing makes the page wider than the window."""
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(wider) <= 0
    assert await page.evaluate("document.querySelector('main').scrollWidth - innerWidth") <= 0


async def sized(visited: Visit, size: tuple[int, int]) -> None:
    """The window has that size, and the pictures have been drawn for it."""
    page = visited.page
    await page.set_viewport_size({"width": size[0], "height": size[1]})
    async with asyncio.timeout(PATIENCE_MS / 1000):
        while not await page.evaluate(FITTED):  # noqa: ASYNC110  (a picture has no event for that)
            await asyncio.sleep(TICK_SECONDS)
    await fits(page)


async def looked_at(visited: Visit, name: str) -> None:
    """What is seen from top to bottom, on a phone and on a desk."""
    for size in (WIDE, NARROW):
        await sized(visited, size)
        for number, part in enumerate(("h1", ".charts", ".charts > :nth-child(4)", "[aria-label^='All']")):
            await visited.page.locator(part).evaluate("(it) => it.scrollIntoView()")
            await visited.look(f"{name}-{number}")


def everything(page: Page) -> Locator:
    return page.get_by_role("region", name="All figures by name")


def chart(page: Page, title: str) -> Locator:
    return page.locator("section.card", has=page.get_by_role("heading", name=title))


@scene(deadline=120)
async def test_charts_tables_and_budget_say_what_the_record_says(tmp_path: Path) -> None:
    (tmp_path / "scorecard.md").write_text(
        scorecard_page(RESULTS, measured="2026-11-21", minutes=12.0), encoding="utf-8"
    )
    async with met(tmp_path, BudgetConfig(day_usd=50.0, agent_day_usd=30.0)) as (record, visited):
        page = visited.page
        await figures_are_those_of_the_record(page, record)
        await expect(page.get_by_role("img", name="Cost by day and agent")).to_be_visible()
        await expect(page.locator("svg.chart")).to_have_count(5)
        titles = chart(page, "Cost $").locator("svg g > title")
        assert "vorenus $300.00" in "\n".join(await titles.all_text_contents())
        await expect(page.locator(".legend li").last).to_contain_text("others")
        await expect(page.locator(".caps")).to_contain_text("All together")
        await expect(page.locator(".caps")).to_contain_text(f"{dollars(40.0)} of $50.00")
        await looked_at(visited, "costs")
        assert await faults(page) == []
        await a_chart_is_a_table_too_and_stays_one(page)
        await the_scorecard_is_shown(visited)
        assert await faults(page) == []


async def figures_are_those_of_the_record(page: Page, record: Counted) -> None:
    since = beginning(last_days(day_of(record.now, ZONE), 30)[0], ZONE)
    spent = await record.praetorium.costs.expenses(since)
    rows = everything(page).get_by_role("row")
    await expect(rows).to_have_count(len(spent) + 2)
    for each in spent:
        row = (
            everything(page)
            .get_by_role("row")
            .filter(has=page.get_by_role("rowheader", name=each.agent, exact=True))
        )
        await expect(row.get_by_role("cell").nth(0)).to_have_text(dollars(each.usd))
        await expect(row.get_by_role("cell").nth(1)).to_have_text(in_words(each.turns))
    await expect(rows.last.get_by_role("cell").first).to_have_text(dollars(sum(it.usd for it in spent)))
    await expect(chart(page, "Tokens").get_by_role("heading")).to_contain_text(
        in_words(sum(it.tokens for it in spent))
    )


async def a_chart_is_a_table_too_and_stays_one(page: Page) -> None:
    cost = chart(page, "Cost $")
    summary = cost.get_by_text("As a table")
    await summary.focus()
    await page.keyboard.press("Enter")
    await expect(cost.get_by_role("row", name="Fri 13 Mar")).to_contain_text("$300.00")
    await expect(cost.get_by_role("row", name="Thu 5 Mar")).to_contain_text("$0.0001")
    await page.get_by_role("combobox", name="By").select_option("model")
    await expect(cost.get_by_role("img", name="Cost by day and model")).to_be_visible()
    await expect(cost.get_by_role("columnheader", name=HOSTILE)).to_be_visible()
    await expect(everything(page).get_by_role("rowheader", name=HOSTILE)).to_be_visible()
    await page.get_by_role("combobox", name="Days").select_option("7")
    await expect(cost.get_by_role("row", name="Thu 5 Mar")).to_have_count(0)
    await expect(everything(page).get_by_role("rowheader", name=HOSTILE)).to_have_count(0)
    await expect(page).to_have_title("Costs and health · Legio")


async def the_scorecard_is_shown(visited: Visit) -> None:
    page = visited.page
    await page.get_by_role("heading", name="Scorecard").click()
    await expect(page.get_by_text("Measured on 2026-11-21")).to_be_visible()
    await page.get_by_text("Crashes: 1 of 2 as they should be").click()
    await expect(page.get_by_role("row", name="kill -9")).to_contain_text("1,400")
    await page.get_by_role("row", name="kill -9").scroll_into_view_if_needed()
    await visited.look("costs-scorecard")
    await fits(page)


@scene(deadline=120)
async def test_signs_live_and_what_was_given_up_is_sent_again(tmp_path: Path) -> None:
    async with met(tmp_path) as (record, visited):
        await nothing_is_there(visited)
        record.vitals.reception = Reception(deaf="Telegram is out of reach.", silent_seconds=70.0)
        await record.took("vorenus")
        await record.written(f"The ford: {HOSTILE}", "The bridge.")
        await record.failed("Forbidden: bot was blocked by the user")
        await record.failed("Bad Gateway", final=False)
        await what_happened_is_seen(visited)
        await it_is_sent_again(visited.page, record)
        assert await visited.page.title() == "Costs and health · Legio"


async def nothing_is_there(visited: Visit) -> None:
    page = visited.page
    await expect(page.locator(".card").get_by_role("status")).to_have_text("All is well.")
    await expect(page.get_by_text("No turn has ended in these days.")).to_be_visible()
    await expect(page.locator("svg.chart")).to_have_count(0)
    await expect(page.locator(".caps")).to_contain_text("There is none.")
    await expect(page.get_by_text("0 received = 0 answered")).to_be_visible()
    await fits(page)
    await visited.look("costs-empty")


def outbox_of(page: Page) -> Locator:
    return page.locator("section.card", has=page.get_by_role("heading", name="Outbox"))


async def what_happened_is_seen(visited: Visit) -> None:
    """Without anything being pressed."""
    page, outbox = visited.page, outbox_of(visited.page)
    await expect(page.locator(".card").get_by_role("status")).to_have_text("Legio is not well.")
    await expect(page.get_by_text("Telegram is out of reach.")).to_be_visible()
    await expect(page.get_by_text("1 received = 1 answered")).to_be_visible()
    await expect(page.get_by_text("It holds: no turn is lost.")).to_be_visible()
    await expect(everything(page).get_by_role("rowheader", name="vorenus")).to_be_visible()
    await expect(page.locator("svg.chart")).to_have_count(4)  # nobody failed
    await sized(visited, NARROW)
    await expect(outbox).to_contain_text("Forbidden: bot was blocked by the user")
    await expect(outbox).to_contain_text(f"The ford: {HOSTILE}")
    await outbox.get_by_text("What waits").click()
    await expect(outbox.get_by_text("The bridge.")).to_be_visible()
    await expect(outbox).to_contain_text("1 try · may have arrived")
    await visited.look("costs-unwell")
    assert await faults(page) == []


async def it_is_sent_again(page: Page, record: Counted) -> None:
    """Once, and only when that was meant."""
    again, dialog = outbox_of(page).get_by_role("button", name="Send all again"), page.get_by_role("dialog")
    await again.click()
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_be_hidden()
    assert record.woken == []
    await again.focus()
    await page.keyboard.press("Enter")
    await expect(dialog).to_contain_text("Send 1 message again?")
    await dialog.get_by_role("button", name="Send again").click()
    await expect(page.locator("#toast")).to_have_text("Sent again: 1 message.")
    await expect(again).to_be_hidden()
    await expect(outbox_of(page)).to_be_focused()
    assert record.woken == ["woken"]
    assert len(await record.praetorium.outbox.due()) == 2
