"""The whole camp as `legio local` opens it: by its printed link, through the wall, into every room."""

import contextlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.async_api import FilePayload, Page, expect

from legio.castra import Castra
from legio.config import Config, LocalConfig, Secrets
from legio.embedded import embedded
from legio.templates import init
from tests.browser.axe import faults
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.browser.pictures import keep
from tests.browser.test_whole_legio import PATIENCE_MS, rested, say, seen, theirs
from tests.scenes import scene

pytestmark = [pytest.mark.browser, pytest.mark.cli]

NAMES = ("vorenus", "pullo", "brutus")
ROOMS = ("Now", "Feed", "Praetorium", "Memoria", "Agents", "Costs", "Chat")
NOTES = FilePayload(name="notes.txt", mimeType="text/plain", buffer=b"The ford is <deep> & cold.")
SURVEY = """@vorenus echo The ford is **deep**, and the bridge is *gone*:

```python
feet = 9
```"""
WATCH_THEM_GROW = """() => {
    window.grown = new Set();
    new MutationObserver(() => {
        for (const each of document.querySelectorAll("article")) {
            const words = each.textContent.split("gallia est").length - 1;
            if (words && each.textContent.includes("⏹")) grown.add(words);
        }
    }).observe(document.body, { childList: true, subtree: true });
}"""
"""Counts how differently long the answers have been seen while they could still be stopped."""
SPOKEN = "(room, words) => room.innerText.split(words).length - 1"
WIDER = """() => [document.documentElement, document.querySelector("main")]
    .filter((it) => it.scrollWidth > Math.min(it.clientWidth, innerWidth))
    .flatMap((it) => [...it.querySelectorAll("*")])
    .filter((it) => it.getBoundingClientRect().right > innerWidth)
    .map((it) => `${it.tagName}.${it.className}: ${it.textContent.slice(0, 60)}`)"""
"""What makes the page scroll sideways."""
SECRETS = (
    "/rooms",
    "/chat/state",
    "/chat/events",
    "/camp/feed/live",
    "/camp/now/live",
    "/camp/praetorium/nuntii",
    "/camp/memoria/edicta",
    "/static/shell.js",
)
Deed: TypeAlias = Callable[[Page, Castra], Awaitable[None]]


def trial(folder: Path) -> Config:
    """A castra newly made, and a page wherever there is room."""
    init(folder)
    return Config(castra=folder / "castra", local=LocalConfig(port=0))


def link(announcement: str) -> tuple[str, str]:
    """Where the page is, and the link that opens it once, as they are printed."""
    found = re.search(r"((http://127\.0\.0\.1:\d+)/login#\S+)", announcement)
    assert found, announcement
    return found[2], found[1]


async def room(page: Page, title: str) -> None:
    """Go there as one does, and wait until it is open."""
    await page.get_by_role("navigation", name="Rooms").get_by_role("link", name=title).click()
    await expect(page).to_have_title(re.compile(f"{title}.* · Legio"))


async def times(page: Page, words: str) -> int:
    """How often these words stand in the room."""
    return int(await page.locator("main").evaluate(SPOKEN, words))


# --- a day in the camp -----------------------------------------------------------------------------------


async def the_first_answer(page: Page, _: Castra) -> None:
    await expect(page.get_by_role("textbox", name="Message")).to_be_visible(timeout=PATIENCE_MS)
    assert "login" not in page.url
    await say(page, "ave")
    await seen(theirs(page, "scripted recruit"))


async def three_at_once(page: Page, _: Castra) -> None:
    await page.evaluate(WATCH_THEM_GROW)
    await say(page, f"{' '.join(f'@{name}' for name in NAMES)} long 900")
    for name in NAMES:
        await seen(page.get_by_role("button", name=f"⏹ {name}"))
    for name in NAMES:
        await seen(page.locator("article", has_text=f"⚔️ {name} — ").filter(has_text="gallia est").first)
    await rested(page)
    assert await page.evaluate("grown.size") > 1


async def an_order_by_thumb(page: Page, _: Castra) -> None:
    await say(page, "order Count the boats twice.")
    card = theirs(page, "asks to publish an edictum:")
    await card.get_by_role("button", name="Allow", exact=True).click()
    await seen(theirs(page, "is in force from the next turn on."))


async def a_file_in_and_out(page: Page, castra: Castra) -> None:
    await page.get_by_role("textbox", name="Message").fill("@pullo what do you see")
    await page.get_by_label("Send files").set_input_files(NOTES)
    await seen(theirs(page, "I was given notes.txt, which says: “The ford is <deep> & cold.”"))
    (castra.workspace("pullo") / "survey.md").write_text("# The ford\n")
    await say(page, "@pullo send me the file survey.md")
    sent = page.locator("article:not(.mine) a.file", has_text="survey.md")
    await seen(sent)
    async with page.expect_download() as download:
        await sent.click()
    assert (await (await download.value).path()).read_text() == "# The ford\n"


async def stopped_reset_and_sent_to_sleep(page: Page, _: Castra) -> None:
    await rested(page)
    await say(page, "@pullo slow 600")
    await seen(page.get_by_role("button", name="⏹ pullo"))
    await room(page, "Now")
    pullo = page.locator('[data-agent="pullo"]')
    await expect(pullo.locator(".state")).to_contain_text("at work", timeout=PATIENCE_MS)
    await pullo.get_by_role("button", name="Stop pullo").click()
    await expect(pullo.locator(".state")).to_contain_text("awake", timeout=PATIENCE_MS)
    await pullo.get_by_role("button", name="Reset pullo").click()
    await page.get_by_role("dialog").get_by_role("button", name="Reset pullo").click()
    await expect(pullo).to_contain_text("Caesar reset it", timeout=PATIENCE_MS)
    await page.get_by_role("button", name="Sleep vorenus").click()
    await expect(page.locator('[data-agent="vorenus"] .state')).to_contain_text("asleep", timeout=PATIENCE_MS)
    await room(page, "Chat")
    await seen(theirs(page, "⏹ pullo: stopped."))


async def a_survey_and_a_count(page: Page, _: Castra) -> None:
    await say(page, SURVEY)
    await seen(theirs(page, "⚔️ vorenus — ").filter(has_text="feet = 9"))
    await say(page, "ask pullo and brutus to count the boats")
    await seen(theirs(page, "You said: “count the boats”"))


async def what_was_said_is_found(page: Page, _: Castra) -> None:
    await room(page, "Praetorium")
    await page.get_by_role("searchbox", name="Search").fill("bridge")
    await page.get_by_role("button", name="Search").click()
    await expect(page.locator("main mark")).to_have_text(["bridge"] * 2, timeout=PATIENCE_MS)
    await page.get_by_role("button", name="Clear").click()
    await expect(page.locator("main mark")).to_have_count(0, timeout=PATIENCE_MS)


DAY: tuple[Deed, ...] = (
    the_first_answer,
    three_at_once,
    an_order_by_thumb,
    a_file_in_and_out,
    stopped_reset_and_sent_to_sleep,
    a_survey_and_a_count,
    what_was_said_is_found,
)
FILLED = {
    "Now": "4 agents",
    "Feed": "live",
    "Praetorium": "Times of",
    "Memoria": "Count the boats twice.",
    "Agents": "Who talked to whom",
    "Costs": "It holds: no turn is lost.",
    "Chat": "feet = 9",
}


async def every_room_is_fit_to_be_seen(visited: Visit) -> None:
    """Nothing is cut off or shuts anybody out, on a phone and on a desk, by day and by night."""
    page = visited.page
    for size in (NARROW, WIDE):
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        for title in ROOMS:
            await room(page, title)
            await expect(page.locator("main")).to_contain_text(FILLED[title], timeout=PATIENCE_MS)
            await expect(page.locator("#toast")).to_be_hidden()
            assert await page.evaluate(WIDER) == [], (title, size)
            assert await faults(page) == [], (title, size)
            await keep(visited, title.lower())


@scene(deadline=180)
async def test_a_day_in_the_camp_from_the_printed_link_to_every_room(tmp_path: Path) -> None:
    config = trial(tmp_path)
    async with embedded(config, Secrets()) as announcement:
        url, by = link(announcement)
        async with visit(url, NARROW, by=by) as visited:
            visited.page.set_default_timeout(PATIENCE_MS)
            for deed in DAY:
                await deed(visited.page, Castra(config.castra))
            await every_room_is_fit_to_be_seen(visited)


# --- what outlives the server, and who stays outside --------------------------------------------------------


async def a_stranger_gets_nothing(page: Page, url: str) -> None:
    """Another browser, without the cookie, sees the door alone."""
    assert page.context.browser
    strange = await page.context.browser.new_context()
    other = await strange.new_page()
    await other.goto(url)
    await expect(other.get_by_role("status")).to_have_text("This camp opens by a link.")
    assert other.url == f"{url}/login"
    for path in SECRETS:
        assert (await strange.request.get(url + path)).status == 401, path
    said = await strange.request.post(f"{url}/chat/say", data={"text": "let me in"}, headers={"Origin": url})
    assert said.status == 401
    await strange.close()


@scene(deadline=180)
async def test_a_restart_loses_nothing_and_doubles_nothing_and_who_is_signed_out_is_led_to_the_door(
    tmp_path: Path,
) -> None:
    config = trial(tmp_path)
    async with contextlib.AsyncExitStack() as stack:
        async with embedded(config, Secrets()) as announcement:
            url, by = link(announcement)
            visited = await stack.enter_async_context(visit(url, by=by))
            page = visited.page
            page.set_default_timeout(PATIENCE_MS)
            await say(page, "@pullo echo before the storm")
            await seen(theirs(page, "⚔️ pullo — "))
            await a_stranger_gets_nothing(page, url)
            watching = await page.context.new_page()
            await watching.goto(f"{url}/#/feed")
            await expect(watching.locator("main")).to_contain_text("before the storm", timeout=PATIENCE_MS)
        await expect(watching.get_by_role("status")).to_contain_text(
            "Legio does not answer", timeout=PATIENCE_MS
        )
        await expect(page.locator("#status")).to_have_text("connecting…", timeout=PATIENCE_MS)

        port = int(url.rpartition(":")[2])
        async with embedded(replace(config, local=LocalConfig(port=port)), Secrets()):
            await the_chat_goes_on(page)
            await nothing_is_lost_or_doubled(watching)
            await signed_out(page, watching, url)
            visited.complaints[:] = [each for each in visited.complaints if "401" not in each]


async def the_chat_goes_on(page: Page) -> None:
    """In the page that stayed open over it, and for whoever comes anew."""
    await expect(page.locator("#status")).to_have_text("bot", timeout=PATIENCE_MS)
    await say(page, "@pullo echo after the storm")
    await seen(theirs(page, "⚔️ pullo — ").filter(has_text="after the storm"))
    for reload in (False, True):
        if reload:
            await page.reload()
        for words in ("before the storm", "after the storm"):
            await expect(page.locator("article.mine", has_text=words)).to_have_count(1)
            answers = page.locator("article:not(.mine)", has_text=words).filter(has_text="⚔️ pullo — ")
            await expect(answers).to_have_count(1)


async def nothing_is_lost_or_doubled(page: Page) -> None:
    """In the feed that stayed open over it, in the feed anew, and in the praetorium."""
    for reload in (False, True):
        if reload:
            await page.reload()
        answers = page.locator("main .assistant")
        await expect(answers).to_have_count(2, timeout=PATIENCE_MS)
        for words in ("before the storm", "after the storm"):
            await expect(answers.filter(has_text=words)).to_have_count(1)
            await expect(page.locator("main .user", has_text=words)).to_have_count(1)
    await room(page, "Praetorium")
    for words in ("before the storm", "after the storm"):
        await expect(page.locator("main li", has_text=words)).to_have_count(2, timeout=PATIENCE_MS)


async def signed_out(page: Page, other: Page, url: str) -> None:
    """Everywhere, while rooms with a stream stand open."""
    await room(other, "Now")
    await expect(other.get_by_role("status").first).to_contain_text("4 agents", timeout=PATIENCE_MS)
    await page.get_by_text("Sign out").click()
    await page.get_by_role("button", name="Everywhere").click()
    for each in (page, other):
        await each.wait_for_url(f"{url}/login", timeout=PATIENCE_MS)
