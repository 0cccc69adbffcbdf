"""The feed as a person follows it: every kind of thing, ten thousand of them, and over a restart."""

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from legio.nuntius import LEGATUS, TurnState
from legio.ports import Ending, Entry, EntryKind, Process, Thread
from legio.praetorium import Praetorium
from tests.browser.axe import faults
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.browser.feeding import served, steps
from tests.praetorium.record import START, answered, praetorium_in, said
from tests.scenes import scene

pytestmark = pytest.mark.browser

XSS = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "&lt;b&gt; &amp; </div>",
]
MOST = 600
"""So many entries are in the page at once, however many there are."""
NO_SIDEWAYS = "document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth"
IDS = "[...document.querySelectorAll('.entry')].map((each) => Number(each.dataset.id))"
AT_END = "(it) => it.scrollHeight - it.scrollTop - it.clientHeight < 2"
JOURNEY = """async ([up, goal]) => {
    const main = document.querySelector("main"), list = document.querySelector(".entries");
    const seen = new Set();
    let [most, nodes, drift] = [0, 0, 0];
    for (;;) {
        const ids = [...list.children].map((each) => Number(each.dataset.id));
        if (ids.some((id, index) => index && id !== ids[index - 1] + 1)) return { wrong: ids };
        most = Math.max(most, ids.length);
        nodes = Math.max(nodes, document.querySelectorAll("*").length);
        ids.forEach((id) => seen.add(id));
        if (ids.at(up ? 0 : -1) === goal) return { most, nodes, drift, seen: seen.size };
        const moved = new Promise((resolve) => new MutationObserver((_, watch) => {
            watch.disconnect();
            resolve();
        }).observe(list, { childList: true }));
        main.scrollTop = up ? 0 : main.scrollHeight;
        const looked = up ? list.firstElementChild : list.lastElementChild;
        const was = looked.getBoundingClientRect().top;
        await moved;
        drift = Math.max(drift, Math.abs(looked.getBoundingClientRect().top - was));
    }
}"""


async def lived(praetorium: Praetorium) -> None:
    """One thing of each kind, in the order of a day."""
    threads, turns, feed = praetorium.threads, praetorium.turns, praetorium.feed
    question = said("Compare the ford with the bridge.", audience=("vorenus", "pullo"))
    vorenus, pullo = await turns.admit(question, ["vorenus", "pullo"])
    await threads.save(Thread("vorenus", "one", process=Process(1, 1.0), origin="this is its first use"))
    for kind, text in (
        (EntryKind.TOOL, 'Read\n{"file_path":"notes/ford.md"}'),
        (EntryKind.TOOL_SUCCESS, "Read\n" + "\n".join(f"{line}  the ford is deep" for line in range(30))),
        (EntryKind.TOOL, 'Bash\n{"command":"measure --bridge"}'),
        (EntryKind.TOOL_ERROR, "Bash\nmeasure: command not found"),
    ):
        await feed.add([Entry(kind, "vorenus", text, START, turn=vorenus.id)])
    await turns.end(vorenus, answered("The ford is deep, and **the bridge** is far.", "vorenus", question))
    await feed.add(steps("The model answered 529; try 1 of 3 follows in 0.5 s."))
    await turns.end(pullo, Ending(TurnState.FAILED, None, (), detail="API Error: 529 overloaded"))
    await threads.save(Thread("vorenus", "one", process=Process(2, 1.0), origin="this is its first use"))
    dispatch = said("What does the bridge cost?", LEGATUS, ("vorenus",))
    await turns.admit(dispatch, ["vorenus"])
    await threads.save(Thread("vorenus", "two", process=Process(3, 1.0), origin="Caesar reset it"))


async def shown(page: Page) -> list[int]:
    return list(await page.evaluate(IDS))


async def scrolled(page: Page, pixels: str) -> None:
    await page.evaluate(f"document.querySelector('main').scrollTop = {pixels}")


@scene(deadline=90)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_every_kind_is_told_by_a_sign_and_a_word_and_new_things_come_in_while_one_looks(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with served(tmp_path) as (url, praetorium), visit(url, size) as visited:
        page = visited.page
        entries = page.locator(".entry")
        await expect(page.get_by_text("Nothing has happened yet.")).to_be_visible()
        assert await faults(page) == []
        await lived(praetorium)
        await expect(entries).to_have_count(13)
        await expect(page.get_by_role("status").first).to_have_text("live")
        await worded(page)
        await unfolded(page)
        await scrolled(page, "0")
        assert await page.evaluate(NO_SIDEWAYS)
        assert await faults(page) == []
        await visited.look("feed")
        await narrowed(visited, praetorium)


async def worded(page: Page) -> None:
    """Each kind has its sign and its word, and says who did what."""
    for kind in EntryKind:
        await expect(page.locator(f".entry.{kind} .chip").first).to_have_text(kind.replace("-", " "))
    signs = await page.locator(".entry .sign").all_inner_texts()
    assert len({sign.strip() for sign in signs} - {""}) == len(EntryKind)
    question = page.get_by_text("Compare the ford with the bridge.").filter(visible=True)
    await expect(question).to_have_count(1)
    for shown_as, nth, words in (
        ("user", 1, "Caesar → pullo"),
        ("handoff", 0, "legatus → vorenus"),
        ("repair", 0, "A new thread in the place of the one before: Caesar reset it."),
        ("resume", 0, "The thread goes on in another process."),
        ("error", 0, "API Error: 529 overloaded"),
        ("tool", 0, '{"file_path":"notes/ford.md"}'),
    ):
        await expect(page.locator(f".entry.{shown_as}").nth(nth)).to_contain_text(words)


async def unfolded(page: Page) -> None:
    """A long text is shown whole to whoever wants it, and folded again."""
    long = page.locator(".entry.tool-success")
    closed = await long.locator("pre").bounding_box()
    await long.get_by_role("button", name="Show all").press("Enter")
    await expect(long.get_by_role("button", name="Show less")).to_have_attribute("aria-expanded", "true")
    opened = await long.locator("pre").bounding_box()
    assert closed
    assert opened
    assert opened["height"] > 2 * closed["height"]
    await long.get_by_role("button", name="Show less").click()


async def narrowed(visited: Visit, praetorium: Praetorium) -> None:
    """One agent alone, as the address says; what another does is not shown, what he does is."""
    page = visited.page
    choice = page.get_by_label("Agent")
    await choice.focus()
    await choice.select_option("pullo")
    assert page.url.endswith("/#/feed/pullo")
    await expect(page.locator(".entry")).to_have_count(3)
    await expect(choice).to_be_focused()
    await page.reload()
    await expect(page.locator(".entry")).to_have_count(3)
    await expect(choice).to_have_value("pullo")
    await praetorium.feed.add(steps("not this", agent="vorenus") + steps("but this"))
    await expect(page.locator(".entry").last).to_contain_text("but this")
    await expect(page.locator(".entry")).to_have_count(4)
    await page.evaluate("location.hash = '#/feed'")
    await expect(page.get_by_text("not this")).to_be_visible()
    await expect(choice).to_have_value("")


@scene(deadline=90)
async def test_whatever_was_written_is_shown_as_text(tmp_path: Path) -> None:
    async with served(tmp_path) as (url, praetorium), visit(url, NARROW) as visited:
        page = visited.page
        await page.evaluate("(agent) => { location.hash = `#/feed/${agent}`; }", XSS[0])
        await expect(page.get_by_label("Agent")).to_have_value("%3Cimg%20src=x%20onerror=alert(1)%3E")
        for text in XSS:
            await praetorium.turns.admit(said(text, audience=("pullo",)), ["pullo"])
            await praetorium.threads.save(Thread("pullo", text, process=Process(1, 1.0), origin=text))
            for kind in (EntryKind.TOOL, EntryKind.TOOL_SUCCESS):
                await praetorium.feed.add(steps(f"{text}\n{text * 40}", agent=text, kind=kind))
        await page.evaluate("location.hash = '#/feed'")
        await expect(page.locator(".entry")).to_have_count(4 * len(XSS))
        for text in XSS:
            assert await page.get_by_text(text, exact=True).count() >= 3
        assert await page.locator("main :is(img, script, svg)").count() == 0
        assert await page.evaluate(NO_SIDEWAYS)
        await visited.look("feed-hostile")


@scene(deadline=180)
async def test_ten_thousand_entries_are_walked_to_the_first_and_back_in_a_page_that_stays_small(
    tmp_path: Path,
) -> None:
    count = 10_000
    async with served(tmp_path) as (url, praetorium):
        await praetorium.feed.add(steps(*(f"Entry {number} of the day" for number in range(1, count + 1))))
        async with visit(url) as visited:
            page = visited.page
            await expect(page.locator(".entry").last).to_contain_text(f"Entry {count} ")
            assert await page.locator("main").evaluate(AT_END), "it begins at the newest"
            up = await walked(page, to=1, up=True)
            assert (up["seen"], up["nodes"] < 12 * MOST) == (count, True)
            await expect(page.locator(".news")).to_have_text("To the newest ↓")
            await praetorium.feed.add(steps("while one is far away", "twice"))
            await expect(page.locator(".news")).to_have_text("2 new ↓")
            down = await walked(page, to=count + 2, up=False)
            assert down["seen"] == count + 2
            await scrolled(page, "1e9")
            await expect(page.locator(".news")).to_be_hidden()
            await undisturbed(visited, praetorium)
            await flooded(page, praetorium, count + 3)


async def walked(page: Page, *, to: int, up: bool) -> dict[str, Any]:
    """Scroll until that entry is the outermost: no window on the way has a gap, is large, or makes a jump."""
    journey: dict[str, Any] = await page.evaluate(JOURNEY, [up, to])
    assert "wrong" not in journey
    assert journey["most"] <= MOST
    assert journey["drift"] < 2, "what is looked at stays where it is"
    return journey


async def undisturbed(visited: Visit, praetorium: Praetorium) -> None:
    """What comes in while one reads higher up moves nothing, and is one press away."""
    page, news = visited.page, visited.page.locator(".news")
    await scrolled(page, "document.querySelector('main').scrollTop - 2000")
    held = await page.evaluate("document.querySelector('main').scrollTop")
    await praetorium.feed.add(steps("behind one's back"))
    await expect(news).to_have_text("1 new ↓")
    assert await page.evaluate("document.querySelector('main').scrollTop") == held
    await visited.look("feed-news")
    await news.press("Enter")
    await expect(page.get_by_text("behind one's back")).to_be_in_viewport()
    await expect(page.locator(".entries")).to_be_focused()


async def flooded(page: Page, praetorium: Praetorium, count: int) -> None:
    """More at once than the page holds, while one reads higher up, and while one follows."""
    await scrolled(page, "0")
    await expect(page.locator(f".entry[data-id='{count - 300}']")).to_be_attached()
    await praetorium.feed.add(steps(*map(str, range(700))))
    await expect(page.locator(".news")).to_have_text("700 new ↓")
    await page.locator(".news").click()
    await expect(page.locator(".entry").last).to_contain_text("699")
    await praetorium.feed.add(steps(*(f"flood {number}" for number in range(1500))))
    await expect(page.locator(".entry").last).to_contain_text("flood 1499")
    ids = await shown(page)
    assert ids == list(range(ids[0], count + 700 + 1500 + 1))
    assert len(ids) <= MOST
    assert await page.locator("main").evaluate(AT_END), "the end was followed"


@scene(deadline=120)
async def test_over_a_restart_of_the_server_no_entry_is_lost_and_none_comes_twice(tmp_path: Path) -> None:
    async with contextlib.AsyncExitStack() as browser:
        async with served(tmp_path) as (url, praetorium):
            await praetorium.feed.add(steps("one", "two"))
            visited = await browser.enter_async_context(visit(url))
            page = visited.page
            entries, status = page.locator(".entry"), page.get_by_role("status").first
            await expect(entries).to_have_count(2)
            await expect(status).to_have_text("live")
            await praetorium.feed.add(steps("three"))
            await expect(entries).to_have_count(3)
        await expect(status).to_contain_text("does not answer")
        async with praetorium_in(tmp_path) as praetorium:
            await praetorium.feed.add(steps(*map(str, range(300))))
        async with served(tmp_path, int(url.rsplit(":", 1)[1])) as (_, praetorium):
            await expect(entries).to_have_count(303, timeout=30_000)
            await expect(status).to_have_text("live")
            await praetorium.feed.add([replace(steps("after")[0], agent="vorenus")])
            await expect(entries.last).to_contain_text("after")
            assert await shown(page) == list(range(1, 305))
            await visited.look("feed-restart")
