"""What the page may weigh, and how soon something may be seen of it."""

from pathlib import Path

from playwright.async_api import Page

from legio.console.page import STATIC as SHELL
from legio.local.page import STATIC as CHAT

MOST_BYTES = 150_000
MOST_PAINT_SECONDS = 0.300
PAINT = """new Promise((done) => new PerformanceObserver((seen) => {
    const first = seen.getEntriesByName("first-contentful-paint")[0];
    if (first) done(first.startTime);
}).observe({ type: "paint", buffered: true }))"""


def parts() -> list[Path]:
    """All that the page with all its rooms is made of; to sign in is a page of its own."""
    found = sorted(path for folder in (SHELL, CHAT) for path in folder.rglob("*") if path.is_file())
    return [path for path in found if path.stem != "login"]


async def first_paint(page: Page) -> float:
    """Seconds from the beginning of the visit to the first text or picture that was seen."""
    milliseconds: float = await page.evaluate(PAINT)
    return milliseconds / 1000
