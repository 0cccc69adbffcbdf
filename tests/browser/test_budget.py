"""The page as a whole: small, made of text that is never taken for markup, and soon seen."""

import pytest
from playwright.async_api import expect

from tests.browser.browsing import visit
from tests.browser.budget import MOST_BYTES, first_paint, parts
from tests.local.botapi.rig import rig
from tests.scenes import scene

MARKUP = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=", "text/html")
NAMESPACE = "http://www.w3.org/2000/svg"


def test_the_page_with_all_its_rooms_is_small() -> None:
    weights = {path.name: path.stat().st_size for path in parts()}
    assert sum(weights.values()) < MOST_BYTES, weights


def test_no_text_becomes_markup_and_no_other_host_is_named() -> None:
    for path in parts():
        text = path.read_text(encoding="utf-8").replace(NAMESPACE, "")
        assert [word for word in (*MARKUP, "http://", "https://") if word in text] == [], path.name


@pytest.mark.browser
@scene
async def test_what_the_browser_fetches_is_small_and_its_first_paint_can_be_told() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        weights: list[int] = []
        page = visited.page
        page.on("response", lambda answer: weights.append(int(answer.headers.get("content-length", 0))))
        await page.reload()
        await expect(page.locator("#status")).to_have_text("bot")
        assert await first_paint(page) > 0
    assert 0 < sum(weights) < MOST_BYTES
