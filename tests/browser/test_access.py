"""Topics and codes on the chat page, as a person meets them: tabs, and a number that is gone at once."""

from dataclasses import replace
from pathlib import Path

import pyotp
import pytest
from playwright.async_api import Page, expect

from tests.browser.browsing import NARROW, visit
from tests.e2e.world import world
from tests.scenes import scene

pytestmark = [pytest.mark.browser, pytest.mark.cli]

PATIENCE_MS = 30_000
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


async def say(page: Page, text: str) -> None:
    await page.get_by_role("textbox").fill(text)
    await page.keyboard.press("Enter")


@scene(deadline=120)
async def test_a_centurio_is_met_in_his_topic_and_his_tab_says_that_he_spoke(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        made.telegram.topics_enabled = True
        made.config = replace(made.config, telegram=replace(made.config.telegram, topics=True))
        async with made.legio(), visit(made.page_url, NARROW) as visited:
            page = visited.page
            tabs = page.get_by_role("navigation", name="Topics").get_by_role("button")
            await expect(tabs).to_have_text(["Chat", "brutus", "pullo", "vorenus"], timeout=PATIENCE_MS)
            await say(page, "@vorenus echo from afar")
            await expect(page.locator("nav .news")).to_have_text("vorenus", timeout=PATIENCE_MS)
            await expect(page.locator("article.mine")).to_be_visible()
            await page.get_by_role("button", name="vorenus").click()
            answer = page.locator("article:visible", has_text="⚔️ vorenus — ")
            await expect(answer).to_contain_text("from afar", timeout=PATIENCE_MS)
            await expect(page.locator("article.mine")).to_be_hidden()
            await say(page, "echo without a mention")
            second = page.locator("article:visible", has_text="⚔️ vorenus — ").nth(1)
            await expect(second).to_contain_text("without a mention", timeout=PATIENCE_MS)
            await visited.look("topic")
            await page.get_by_role("button", name="Chat", exact=True).click()
            await expect(page.locator("article:visible", has_text="without a mention")).to_have_count(0)
            await visited.look("topics-chat")


@scene(deadline=120)
async def test_a_code_is_asked_for_after_the_button_and_gone_from_the_chat(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        made.totp_secret = SECRET
        async with made.legio(), visit(made.page_url, NARROW) as visited:
            page = visited.page
            await say(page, "/remove vorenus")
            await page.get_by_role("button", name="Remove vorenus").click()
            card = page.locator("article", has_text="write the code of your authenticator")
            await expect(card).to_be_visible(timeout=PATIENCE_MS)
            await visited.look("code-asked")
            code = pyotp.TOTP(SECRET).now()
            await say(page, code)
            done = page.locator("article", has_text="vorenus has been removed.")
            await expect(done).to_be_visible(timeout=PATIENCE_MS)
            await expect(page.locator("article.mine", has_text=code)).to_have_count(0, timeout=PATIENCE_MS)
            await visited.look("code-gone")
