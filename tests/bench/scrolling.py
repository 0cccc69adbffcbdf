"""Whether the feed stalls while somebody scrolls through all of it: the time between each two frames."""

import asyncio
from pathlib import Path

from playwright.async_api import Page

from tests.bench.browser import NOBODY, chromium
from tests.bench.report import Figure, Sample, spell
from tests.browser.feeding import served, steps

SHARE = 99.0
MOST_SECONDS = 0.200
"""A page that answers a hand later than this is felt to be slow."""
PIXELS, PAUSE_SECONDS = 900, 0.02
"""One turn of the wheel, and how soon the next one comes: a hand in a hurry."""
MOST_TURNS = 5_000
WATCH = """() => {
    window.frames_ = [];
    let last = performance.now();
    const next = (now) => { frames_.push(now - last); last = now; requestAnimationFrame(next); };
    requestAnimationFrame((now) => { last = now; requestAnimationFrame(next); });
}"""
FIRST = "Number(document.querySelector('.entry')?.dataset.id) === 1"


async def frames(folder: Path, *, entries: int) -> Sample | None:
    """Seconds between frames, from the newest entry to the first; None where no browser is."""
    async with chromium() as browser, served(folder) as (url, praetorium):
        if browser is None:
            return None
        await praetorium.feed.add(steps(*(f"Entry {number} of the day" for number in range(1, entries + 1))))
        page = await browser.new_page()
        await page.goto(url)
        await page.locator(".entry").last.wait_for()
        await page.evaluate(WATCH)
        await _scroll_to_the_first(page)
        milliseconds = await page.evaluate("frames_")
        return Sample(tuple(each / 1000 for each in milliseconds))


async def _scroll_to_the_first(page: Page) -> None:
    await page.mouse.move(600, 400)
    for _ in range(MOST_TURNS):
        await page.mouse.wheel(0, -PIXELS)
        await asyncio.sleep(PAUSE_SECONDS)
        if await page.evaluate(FIRST):
            return
    raise TimeoutError(f"the first entry did not come in {MOST_TURNS} turns of the wheel")


def scroll_figure(seen: Sample | None, entries: int) -> Figure:
    """The frame that 99 of 100 do not exceed, or that there was nobody to look."""
    name = f"a frame while a feed of {entries:,} is scrolled"
    if seen is None:
        return Figure(name, "", NOBODY)
    slow = seen.percentile(SHARE)
    bound = f"{spell(MOST_SECONDS)} at p{SHARE:.0f}"
    return Figure(name, bound, f"p{SHARE:.0f} {spell(slow)}; median {seen}", slow <= MOST_SECONDS)
