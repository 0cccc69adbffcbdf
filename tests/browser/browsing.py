"""A real headless Chromium: the one that is installed, or the tests are skipped with the reason.

With SCREENSHOTS set to a folder, what a scene sees is kept there to be looked at.
"""

import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, ConsoleMessage, Error, Page, Request, async_playwright, expect

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NARROW, WIDE = (390, 844), (1280, 800)
LIGHTS: dict[Literal["dark", "light"], str] = {"dark": "-dark", "light": ""}
"""Both lights, and how a picture taken in each is marked."""


# Others work on the machine, too: what is expected may take its time.
expect.set_options(timeout=15_000)


def installed() -> str | None:
    """The browser's path: LEGIO_CHROMIUM, or the one on the PATH; None where there is none."""
    return os.environ.get("LEGIO_CHROMIUM") or shutil.which("chromium")


def chromium() -> str:
    """The browser's path, or the test is skipped."""
    found = installed()
    if not found:
        pytest.skip("there is no chromium: install it, or set LEGIO_CHROMIUM to its path")
    return found


class Visit:
    """One open page, and everything about it that should not have happened."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        self._url = url
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("request", self._request)

    async def look(self, name: str) -> None:
        """Keep what is seen now, in both lights, if somebody wants to look at it."""
        folder, size = os.environ.get("SCREENSHOTS"), self.page.viewport_size
        if not folder or not size:
            return
        for light, mark in LIGHTS.items():
            await self.page.emulate_media(color_scheme=light)
            await self.page.screenshot(path=Path(folder) / f"{name}-{size['width']}{mark}.png")

    def _console(self, message: ConsoleMessage) -> None:
        # A server that is away for a moment is no fault of the page's.
        if message.type in {"error", "warning"} and "ERR_CONNECTION_REFUSED" not in message.text:
            self.complaints.append(message.text)

    def _error(self, error: Error) -> None:
        self.complaints.append(f"uncaught: {error}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith(self._url):
            self.complaints.append(f"asked elsewhere: {request.url}")


@contextlib.asynccontextmanager
async def visit(url: str, size: tuple[int, int] = WIDE, *, by: str = "") -> AsyncIterator[Visit]:
    """The page at `url`, entered `by` a link, in a browser of its own; in the end nothing may be wrong."""
    path = chromium()
    async with async_playwright() as playwright:
        browser: Browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        context = await browser.new_context(viewport={"width": size[0], "height": size[1]})
        page = await context.new_page()
        page.set_default_timeout(10_000)
        visited = Visit(page, url)
        try:
            await page.goto(by or url)
            yield visited
        finally:
            await browser.close()
    assert visited.complaints == []
