"""The browser that the page is looked at with, where there is one."""

import contextlib
from collections.abc import AsyncIterator

from playwright.async_api import Browser, async_playwright

from tests.browser.browsing import ARGUMENTS, installed

NOBODY = "there is no chromium"
"""What a figure says that nobody was there to see."""


@contextlib.asynccontextmanager
async def chromium() -> AsyncIterator[Browser | None]:
    """The installed one; None where there is none."""
    path = installed()
    if not path:
        yield None
        return
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        await browser.close()
