"""The test page as a phone shows it: every grid within the bubble, every page without a complaint."""

from dataclasses import asdict

import pytest
from playwright.async_api import expect
from telegram import MessageEntity

from legio.bot.render import render
from tests.bot.pages import PAGES
from tests.browser.browsing import NARROW, visit
from tests.local.botapi.rig import OWNER, rig
from tests.scenes import scene

pytestmark = pytest.mark.browser

OVERFLOWING = "blocks => blocks.filter(it => it.scrollWidth > it.clientWidth).map(it => it.textContent)"


@scene(deadline=120)
async def test_no_grid_of_a_table_is_wider_than_the_bubble_of_a_phone() -> None:
    async with rig() as it, visit(it.page, NARROW) as visited:
        for name, page in PAGES.items():
            for piece in render(page, f"⚔️ vorenus — {name}"):
                entities = [MessageEntity(**asdict(entity)) for entity in piece.entities]
                last = await it.bot.send_message(OWNER, piece.text, entities=entities)
        await expect(visited.page.locator(f"#m{last.message_id}")).to_be_visible()
        wide = await visited.page.locator("pre").evaluate_all(OVERFLOWING)
        body = await visited.page.evaluate("[document.body.scrollWidth, window.innerWidth]")
    assert [text for text in wide if "-+-" in text or "- -" in text] == []
    assert body[0] <= body[1]
