"""The browser that the page is looked at with, where there is one."""

import contextlib
import os
import shutil
from collections.abc import AsyncIterator

from playwright.async_api import Browser, async_playwright

from tests.browser.browsing import ARGUMENTS

NOBODY = "there is no chromium"
"""What a figure says that nobody was there to see."""


@contextlib.asynccontextmanager
async def chromium() -> AsyncIterator[Browser | None]:
    """LEGIO_CHROMIUM, or the one on the PATH; None where there is none."""
    path = os.environ.get("LEGIO_CHROMIUM") or shutil.which("chromium")
    if not path:
        yield None
        return
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        await browser.close()
