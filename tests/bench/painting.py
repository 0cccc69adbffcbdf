"""How soon something is seen of the page: a real browser that has never been there, again and again."""

from legio.local.botapi.state import BotApiState
from tests.bench.browser import NOBODY, chromium
from tests.bench.camp import CAESAR_ID, TOKEN
from tests.bench.report import Figure, Sample, spell
from tests.browser.budget import MOST_PAINT_SECONDS, first_paint
from tests.local.room import chat_page

MESSAGES = 500
NAME = "first paint of the page"


async def paints(*, count: int) -> Sample | None:
    """Seconds to the first paint of the page over a long chat, `count` times; None where no browser is."""
    state = BotApiState(token=TOKEN, owner_id=CAESAR_ID)
    for number in range(MESSAGES):
        state.say(f"The ford is {number} feet deep.")
    async with chromium() as browser, chat_page(state) as url:
        if browser is None:
            return None
        seconds = []
        for _ in range(count):
            page = await browser.new_page()
            await page.goto(url)
            seconds.append(await first_paint(page))
            await page.close()
    return Sample(tuple(seconds))


def paint_figure(seen: Sample | None) -> Figure:
    """The median, or that there was nobody to look."""
    if seen is None:
        return Figure(NAME, "", NOBODY)
    return Figure(NAME, spell(MOST_PAINT_SECONDS), str(seen), seen.median <= MOST_PAINT_SECONDS)
