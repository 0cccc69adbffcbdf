"""The first minutes of a newcomer: `legio local`, the link that it prints, and every room of the camp."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from legio.config import Config, LocalConfig, Secrets
from legio.embedded import embedded
from legio.templates import init
from tests.browser.browsing import NARROW, WIDE, visit
from tests.entering import address, link
from tests.scenes import scene

pytestmark = [pytest.mark.browser, pytest.mark.cli]

PATIENCE_MS = 30_000
ROOMS = ["Chat", "Now", "Feed", "Praetorium", "Memoria", "Agents", "Costs and health"]
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


@scene(deadline=120)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_printed_link_opens_the_chat_and_all_rooms_lie_beside_it(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    init(tmp_path)
    config = Config(castra=tmp_path / "castra", local=LocalConfig(port=0))
    async with embedded(config, Secrets()) as announcement, visit(address(announcement), size) as visited:
        page = visited.page
        page.set_default_timeout(PATIENCE_MS)
        await expect(page.get_by_role("status")).to_have_text("This camp opens by a link.")
        await page.goto(link(announcement), wait_until="commit")
        await page.get_by_label("Message", exact=True).fill("@vorenus ave")
        await page.keyboard.press("Enter")
        answer = page.locator("article:not(.mine)", has_text="I am a scripted recruit, not a model")
        await expect(answer).to_be_visible(timeout=PATIENCE_MS)
        assert "login" not in page.url
        nav = page.get_by_role("navigation", name="Rooms")
        await expect(nav.get_by_role("link")).to_have_text(ROOMS)
        await expect(page.get_by_text("Sign out")).to_be_in_viewport()
        for room in (*ROOMS[1:], ROOMS[0]):
            await nav.get_by_role("link", name=room).click()
            await expect(page.locator("main > *").first).to_be_visible()
            assert await page.evaluate(SIDEWAYS) <= 0, f"{room} scrolls sideways"
            await visited.look(f"camp-{room.split()[0].lower()}")
        await expect(answer).to_be_visible()
