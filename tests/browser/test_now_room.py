"""The room Now as a person meets it: a card for each agent, live, and what key and thumb do to him."""

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from legio.console.rooms.now import now_room
from tests.browser.axe import faults
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.camp import Legion, legion
from tests.console.rig import page_of
from tests.scenes import scene
from tests.surveys import Smithy, survey_of

pytestmark = pytest.mark.browser

PATIENCE_MS = 30_000
HOSTILE = '<img src=x onerror="document.title=1">'


async def fits(page: Page) -> None:
    """Nothing makes the page wider than the window."""
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(wider) <= 0
    assert await page.evaluate("document.querySelector('main').scrollWidth - innerWidth") <= 0


async def looked_at(visited: Visit, name: str) -> None:
    """It is seen on a desk and on a phone, by day and by night, and nobody is shut out."""
    for size in (WIDE, NARROW):
        await visited.page.set_viewport_size({"width": size[0], "height": size[1]})
        await fits(visited.page)
        await visited.look(name)
    assert await faults(visited.page) == []


@scene(deadline=120)
async def test_agents_are_seen_at_work_stopped_reset_and_sent_to_sleep(tmp_path: Path) -> None:
    go = asyncio.Event()

    async def say(text: str) -> str:
        if "tarry" in text:
            await go.wait()
        return "done"

    async with legion(tmp_path / "castra", Smithy(say=say, context_tokens=410)) as camp:
        prompt = camp.castra.prompt("vorenus")
        prompt.write_text(f"---\ndescription: {HOSTILE}\n---\nYou are vorenus.\n")
        async with page_of(now_room(survey_of(camp))) as url, visit(url, NARROW) as visited:
            visited.page.set_default_timeout(PATIENCE_MS)
            await everybody_is_there(visited.page)
            await work_is_seen_and_stopped(visited, camp)
            await a_reset_asks_first(visited.page, camp)
            await who_goes_is_gone(visited, camp)


async def everybody_is_there(page: Page) -> None:
    names = page.get_by_role("heading", level=2)
    await expect(names).to_have_text(["legatus", "brutus", "pullo", "vorenus"], timeout=PATIENCE_MS)
    await expect(page.locator(".state")).to_have_text(["◌ asleep"] * 4)
    await expect(page.locator('[data-agent="vorenus"]')).to_contain_text(HOSTILE)
    await expect(page.get_by_role("status").first).to_have_text("4 agents, 0 at work")


async def work_is_seen_and_stopped(visited: Visit, camp: Legion) -> None:
    page = visited.page
    pullo = page.locator('[data-agent="pullo"]')
    await camp.say("@pullo ave")
    meter = page.get_by_role("meter", name="Context of pullo")
    await expect(meter).to_have_attribute("aria-valuenow", "41", timeout=PATIENCE_MS)
    await expect(pullo).to_contain_text("41 % · 410 of 1,000 tokens")
    await expect(pullo).to_contain_text("$0.01")
    await camp.say("@pullo tarry")
    await camp.say("@pullo and more")
    await expect(pullo.locator(".state")).to_contain_text("▶ at work", timeout=PATIENCE_MS)
    await expect(pullo).to_contain_text(re.compile(r"Bash · [1-9]\d* s.*Waiting1"), timeout=PATIENCE_MS)
    await looked_at(visited, "now")
    stop = pullo.get_by_role("button", name="Stop pullo")
    await stop.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#toast")).to_have_text("Stopping pullo.")
    await expect(pullo.locator(".state")).to_contain_text("● awake", timeout=PATIENCE_MS)
    await expect(stop).to_be_focused()
    await camp.settled(3)
    assert (await camp.praetorium.turns.tally()).stopped == 2


async def a_reset_asks_first(page: Page, camp: Legion) -> None:
    pullo, sent = page.locator('[data-agent="pullo"]'), len(await camp.sent())
    reset = pullo.get_by_role("button", name="Reset pullo")
    await reset.click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Begin pullo's conversation afresh?")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_be_hidden()
    await expect(pullo).to_contain_text("this is its first use")
    await reset.click()
    await dialog.get_by_role("button", name="Reset pullo").click()
    await expect(pullo).to_contain_text("Caesar reset it", timeout=PATIENCE_MS)
    assert "pullo begins afresh" in str((await camp.card(sent))["text"])


async def who_goes_is_gone(visited: Visit, camp: Legion) -> None:
    page = visited.page
    await page.get_by_role("button", name="Sleep pullo").click()
    pullo = page.locator('[data-agent="pullo"] .state')
    await expect(pullo).to_have_text("◌ asleep", timeout=PATIENCE_MS)
    assert camp.stage.closed[-1] == "pullo"
    await camp.recruiting.remove("brutus")
    await expect(page.locator("[data-agent]")).to_have_count(3, timeout=PATIENCE_MS)
    await expect(page).to_have_title("Now · Legio")
