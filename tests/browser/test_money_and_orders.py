"""What Caesar pays for, looks at and decides, by thumb on a phone: a real browser, a whole Legio."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from legio.config import BudgetConfig
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.browser.test_whole_legio import PATIENCE_MS, say, seen, theirs
from tests.e2e.world import World, world
from tests.scenes import scene

pytestmark = [pytest.mark.browser, pytest.mark.cli]

CUT = 0.02
"""By how much a picture's shape may be off because pixels are whole."""
BUTTON_PX = 50
"""A button with one line in it is lower than that, and one with two is higher."""


@contextlib.asynccontextmanager
async def met(folder: Path, **changes: object) -> AsyncIterator[tuple[World, Visit]]:
    """Legio at work, and its page open on a phone; `changes` are keys of the configuration's top."""
    async with (
        world(folder, gather=0.0, **changes) as made,
        made.legio(),
        visit(made.page_url, NARROW) as visited,
    ):
        visited.page.set_default_timeout(PATIENCE_MS)
        yield made, visited


async def pressed(card: Locator, label: str, outcome: str) -> None:
    """Press a card's button, and see on the card what became of it, and no button any more."""
    kept = card.page.locator(f"#{await card.get_attribute('id')}")
    await kept.get_by_role("button", name=label, exact=True).click()
    await expect(kept).to_contain_text(outcome, timeout=PATIENCE_MS)
    await expect(kept.locator(".keyboard")).to_have_count(0)


async def fits(page: Page) -> None:
    """Nothing makes the page wider than the window."""
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(wider) <= 0


async def wide(visited: Visit, name: str) -> None:
    """What is seen on a desk; the end of the chat stays in sight when the window's size changes."""
    await visited.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    await expect(visited.page.locator("article .meta").last).to_be_in_viewport(ratio=1, timeout=PATIENCE_MS)
    await fits(visited.page)
    await visited.look(name)
    await visited.page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})


@scene(deadline=120)
async def test_what_was_spent_is_a_table_and_a_picture_and_a_raise_lets_the_waiting_answer(
    tmp_path: Path,
) -> None:
    budget = BudgetConfig(day_usd=0.01)
    async with met(tmp_path, model="claude-sonnet-4-5", budget=budget) as (made, visited):
        page = visited.page
        await say(page, "@vorenus one")
        await seen(theirs(page, "⚔️ vorenus — "))
        await say(page, "@pullo echo who waits is answered")
        card = theirs(page, "Waiting for your word: ")
        await seen(card.get_by_role("button", name="Once with haiku"))
        await seen(theirs(page, "waiting for your word on the budget"))
        assert len(made.requests("pullo")) == 0, "nobody begins above the budget"
        await fits(page)
        await visited.look("budget-card")
        raising = card.get_by_role("button", name=" for today")
        await pressed(card, await raising.inner_text(), "→ raised for today: everybody +$0.0")
        await seen(theirs(page, "⚔️ pullo — ").filter(has_text="who waits is answered"))
        await visited.look("budget-raised")
        await cost_is_shown(visited)


async def cost_is_shown(visited: Visit) -> None:
    """Caesar asks what was spent, and reads it."""
    page = visited.page
    await say(page, "/cost")
    table = theirs(page, "Spent so far").locator("pre")
    await seen(table)
    await expect(table).to_contain_text("vorenus")
    await expect(table).to_contain_text("pullo")
    await expect(theirs(page, "Spent so far")).to_contain_text("Budget today: $0.0")
    picture = page.locator("article:not(.mine) img.photo")
    await seen(picture)
    await page.wait_for_function("document.querySelector('img.photo').naturalWidth > 0")
    await expect(theirs(page, "The last 14 days")).to_be_in_viewport(timeout=PATIENCE_MS)
    assert await table.evaluate("(it) => it.scrollWidth - it.clientWidth") <= 0, "read without a thumb"
    await fits(page)
    await visited.look("cost")
    await wide(visited, "cost")
    shown = "(it) => it.width / it.height - it.naturalWidth / it.naturalHeight"
    assert abs(await picture.evaluate(shown)) < CUT, "the whole picture"


@scene(deadline=120)
async def test_an_agent_is_looked_into_set_by_thumb_and_keeps_quiet(tmp_path: Path) -> None:
    async with met(tmp_path) as (made, visited):
        page = visited.page
        await say(page, "@pullo the ford is deep")
        await seen(theirs(page, "⚔️ pullo — "))
        await set_by_thumb(visited, "model", "haiku")
        await set_by_thumb(visited, "effort", "low")
        await say(page, "@pullo echo there are two boats")
        answer = theirs(page, "⚔️ pullo — ").filter(has_text="there are two boats")
        await seen(answer)
        first, *_, last = made.requests("pullo")
        assert "haiku" not in first.model
        assert "haiku" in last.model, "what was set by thumb has answered"

        await say(page, "/session @pullo")
        session = theirs(page, "Context: ")
        await seen(session)
        await expect(session).to_contain_text("░ ")
        await expect(session).to_contain_text("Model: haiku (set by /model for pullo)")
        await expect(session).to_contain_text("Effort: low (set by /effort for pullo)")
        await seen(session.get_by_role("button", name="Sleep"))
        await fits(page)
        await visited.look("session-of-one")

        await answer.get_by_role("button", name="Reply").click()
        await expect(page.locator("#replying-to")).to_contain_text("pullo")
        await say(page, "/whosees")
        await seen(page.locator("article.mine", has_text="/whosees").locator(".quoted"))
        seers = theirs(page, "pullo: said it himself")
        await seen(seers)
        await expect(seers).to_contain_text("Not by: brutus, vorenus")
        await visited.look("whosees")

        await quiet_comes_and_goes(visited)


async def set_by_thumb(visited: Visit, dial: str, chosen: str) -> None:
    """Caesar asks for a dial of pullo's, and presses what he wants."""
    await say(visited.page, f"/{dial} @pullo")
    card = theirs(visited.page, f"Set {dial} for pullo:")
    await seen(card.get_by_role("button", name="default", exact=True))
    await visited.look(dial)
    for button in await card.locator(".keyboard button").all():
        box = await button.bounding_box()
        assert box
        assert box["height"] < BUTTON_PX, "no label is broken"
    await pressed(card, chosen, f"pullo has the {dial} {chosen}")


async def quiet_comes_and_goes(visited: Visit) -> None:
    """Caesar sets hours in which nothing rings, and ends them."""
    page = visited.page
    await say(page, "/quiet 22:00-07:00")
    await seen(theirs(page, "Messages come silently 22:00-07:00"))
    await say(page, "/quiet off")
    await seen(theirs(page, "There are no quiet hours."))
    await visited.look("quiet")
    await wide(visited, "quiet")


@scene(deadline=120)
async def test_a_change_is_denied_at_its_diff_and_an_order_stands_once_allowed(tmp_path: Path) -> None:
    async with met(tmp_path) as (made, visited):
        page, prompt = visited.page, made.castra.prompt("pullo")
        prompt.write_text(prompt.read_text().replace("---\n", "---\nask: [Write]\n", 1))
        change = {"file_path": "plan.md", "content": "# The ford\n\nTwo boats, no bridge.\n"}
        await say(page, f"@pullo tool Write {json.dumps(change)}")
        card = theirs(page, "pullo asks to create plan.md (+3 -0 lines).")
        await seen(card.get_by_role("button", name="Allow once"))
        await expect(card.locator("pre")).to_contain_text("+Two boats, no bridge.")
        await fits(page)
        await visited.look("diff")
        await pressed(card, "Deny", "→ pullo · Write: denied.")
        await seen(theirs(page, "Caesar did not allow it."))
        await visited.look("denied")
        assert not (made.castra.workspace("pullo") / "plan.md").exists()

        await say(page, "order Speak plainly.")
        card = theirs(page, "The Legatus asks to publish an edictum:")
        await seen(card.get_by_role("button", name="Allow", exact=True))
        await say(page, "/edicta")
        await seen(theirs(page, "There are no standing orders."))
        await visited.look("edictum-asked")
        await pressed(card, "Allow", "→ Allowed. Edictum speak-plainly is in force from the next turn on.")
        await seen(theirs(page, "Caesar allowed it."))
        await say(page, "/edicta")
        await seen(theirs(page, "speak-plainly — Speak plainly. (legatus)"))
        await visited.look("edicta")
        await wide(visited, "edicta")
