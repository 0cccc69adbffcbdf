"""The record as a person reads it: from page to page, by its words, one nuntius, and out as a file."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.browser.axe import faults
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.console.rig import page_of
from tests.console.rooms.record import CONTENT, Kept, conversed, filed, kept, quoted
from tests.scenes import scene

pytestmark = pytest.mark.browser

XSS = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "&lt;b&gt; &amp; </div>",
]
NO_SIDEWAYS = "document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth"


async def spoken(made: Kept, count: int) -> None:
    """So many nuntii, an hour and a half between each and the next, half of them of or to vorenus."""
    for number in range(1, count + 1):
        await made.said(
            f"Word {number} of the ford and of what the scouts have seen there.",
            hours=number * 1.5,
            audience=("vorenus",) if number % 2 else ("pullo", "brutus"),
        )


async def downloaded(page: Page, link: Locator) -> tuple[str, bytes]:
    """The file behind a link: how it is called, and what is in it."""
    async with page.expect_download() as download:
        await link.click()
    got = await download.value
    return got.suggested_filename, (await got.path()).read_bytes()


def refused(visited: Visit) -> None:
    """Something was refused, which the browser itself complains of."""
    assert ["400" in complaint for complaint in visited.complaints] == [True]
    visited.complaints.clear()


@scene(deadline=90)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_record_is_read_page_by_page_and_what_is_shown_stands_in_the_address(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await spoken(made, 120)
        async with visit(url, size) as visited:
            page = visited.page
            items = page.locator(".nuntii li")
            first = items.first.get_by_role("link")
            await expect(items).to_have_count(50)
            await expect(page.get_by_role("status").first).to_have_text("Times of Europe/Zurich")
            await expect(items.first).to_contain_text("Word 120")
            assert await page.evaluate(NO_SIDEWAYS)
            await visited.look("praetorium-list")
            await page.get_by_role("button", name="Older ›").click()
            await expect(items.first).to_contain_text("Word 70")
            await expect(first).to_be_focused()
            await page.get_by_role("button", name="Oldest").click()
            await expect(items.last).to_contain_text("Word 1 ")
            await expect(page.get_by_role("button", name="Older ›")).to_be_disabled()
            await page.get_by_role("button", name="‹ Newer").click()
            await expect(items.first).to_contain_text("Word 100")
            await page.reload()
            await expect(items.first).to_contain_text("Word 100")
            await page.get_by_role("button", name="Newest").click()
            await expect(items.first).to_contain_text("Word 120")
            assert await faults(page) == []


@scene(deadline=90)
async def test_a_filter_is_kept_while_one_reads_and_the_keyboard_suffices(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await spoken(made, 60)
        async with visit(url, WIDE) as visited:
            page = visited.page
            items = page.locator(".nuntii li")
            await expect(items).to_have_count(50)
            await page.get_by_label("Sent by or to").select_option("vorenus")
            await expect(items.first).to_contain_text("Word 59")
            await page.get_by_label("Day").fill("2026-11-22")
            await expect(items).to_have_count(8)
            await expect(page.get_by_role("heading", name=re.compile("November 22, 2026"))).to_be_visible()

            await page.locator(".nuntii li").nth(6).get_by_role("link").focus()
            await page.keyboard.press("ArrowDown")
            opened = items.nth(7).get_by_role("link")
            await expect(opened).to_be_focused()
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("heading", name="Nuntius 15")).to_be_focused()
            await page.reload()
            await expect(page.get_by_role("article")).to_contain_text("Word 15")
            await page.keyboard.press("Escape")
            await expect(items).to_have_count(8)
            await opened.click()
            await expect(page.get_by_role("heading", name="Nuntius 15")).to_be_visible()
            await page.get_by_role("link", name="‹ All nuntii").click()
            await expect(opened).to_be_focused()
            await page.get_by_role("button", name="Clear").click()
            await expect(items).to_have_count(50)
            await expect(page.get_by_label("Day")).to_have_value("")


@scene(deadline=90)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_one_nuntius_shows_what_it_belongs_with_and_what_it_cost(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await conversed(made)
        await made.said(
            "Look at this.", attachments=(filed(made),), quote=quoted("So deep"), origin="schedule 3"
        )
        async with visit(url, size) as visited:
            page = visited.page
            await page.goto(f"{url}/#/praetorium/1")
            article = page.get_by_role("article")
            await expect(article).to_contain_text("How deep is the ford?")
            await expect(article).to_contain_text("May be seen by caesar (sees everything), legatus")
            thread = page.get_by_role("region", name="Conversation").get_by_role("listitem")
            await expect(thread).to_have_text(
                [
                    "caesar → vorenus, pullo: this one",
                    "vorenus → caesar So deep that tents float.",
                    "caesar → vorenus Thanks for the tents.",
                ]
            )
            table = page.get_by_role("table")
            await expect(table.get_by_role("row").filter(has_text="State")).to_have_text(
                "Stateansweredfailed"
            )
            await expect(table).to_contain_text(re.compile(r"no model.*\$0\.0123", re.DOTALL))
            assert await page.evaluate(NO_SIDEWAYS)
            assert await faults(page) == []
            await visited.look("praetorium-one")
            await page.get_by_role("link", name="vorenus → caesar").click()
            await expect(article).to_contain_text("So deep that tents float.")
            await expect(page.locator(".thread [aria-current]")).to_have_text("vorenus → caesar: this one")
            await page.evaluate("location.hash = '#/praetorium/4'")
            await expect(article.locator("blockquote")).to_have_text("vorenus: So deep")
            await expect(article.locator(".chip")).to_have_text("schedule 3")
            plan = page.get_by_role("link", name="plan of war.pdf")
            assert await downloaded(page, plan) == ("plan_of_war.pdf", CONTENT)
            await page.evaluate("location.hash = '#/praetorium/99'")
            await expect(page.locator("#toast")).to_contain_text("there is no nuntius 99.")
            refused(visited)


@scene(deadline=90)
async def test_what_is_found_is_marked_and_what_people_wrote_is_never_run(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        for number, sample in enumerate(XSS):
            await made.said(
                f"tents {sample}",
                hours=number,
                sender=sample,
                audience=(sample,),
                attachments=(replace(filed(made), name=sample, media_type=sample),),
                quote=quoted(sample),
                origin=sample,
            )
        await spoken(made, 60)
        async with visit(url, NARROW) as visited:
            page = visited.page
            items = page.locator(".nuntii li")
            await expect(items).to_have_count(50)
            await page.get_by_role("searchbox", name="Search").fill("tents script alert")
            await page.keyboard.press("Enter")
            await expect(items).to_have_count(len(XSS))
            await expect(page.get_by_role("status").first).to_have_text("5 found")
            await expect(items.locator("mark").first).to_be_visible()
            assert set(await items.locator("mark").all_text_contents()) == {"tents", "script", "alert"}
            for sample in XSS:
                await expect(
                    page.get_by_role("link", name=f"{sample} → {sample}", exact=True)
                ).to_be_visible()
                await expect(page.locator("blockquote", has_text=sample)).to_be_visible()
                await expect(page.get_by_text(f"📎 {sample}", exact=True)).to_be_visible()
            assert await page.locator("main :is(img, script, svg, iframe, b)").count() == 0
            assert await page.evaluate(NO_SIDEWAYS)
            assert await faults(page) == []
            await visited.look("praetorium-found")
            for sample in XSS:
                await page.get_by_role("link", name=f"{sample} → {sample}", exact=True).click()
                await expect(
                    page.get_by_role("article").get_by_text(f"tents {sample}", exact=True)
                ).to_be_visible()
                await expect(page.get_by_role("link", name=sample, exact=True)).to_be_visible()
                await page.keyboard.press("Escape")
                await expect(items).to_have_count(len(XSS))
            assert await page.locator("main :is(img, script, svg, iframe, b)").count() == 0


@scene(deadline=90)
async def test_what_is_found_or_ticked_is_kept_as_a_file(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await made.said("tents", sender="brutus")
        await spoken(made, 60)
        async with visit(url, WIDE) as visited:
            page = visited.page
            await page.goto(f"{url}/#/praetorium/?words=tents")
            items = page.locator(".nuntii li")
            await expect(items).to_have_count(1)
            these = page.get_by_role("group", name="Export these")
            name, lines = await downloaded(page, these.get_by_role("link", name="JSON"))
            assert (name, json.loads(lines)["sender"]) == ("praetorium.jsonl", "brutus")
            await page.get_by_role("checkbox", name="Tick nuntius 1").check()
            await page.get_by_role("searchbox", name="Search").fill("scouts")
            await page.get_by_role("button", name="Search").click()
            await expect(page.get_by_role("status").first).to_have_text("60 found")
            await page.get_by_role("button", name="Next ›").click()
            await expect(items).to_have_count(10)
            await page.get_by_role("button", name="‹ Before").click()
            await expect(items).to_have_count(50)
            await page.get_by_role("checkbox").first.check()
            chosen = page.get_by_role("group", name="Export 2 ticked")
            name, text = await downloaded(page, chosen.get_by_role("link", name="Markdown"))
            assert (name, text.count(b"**")) == ("praetorium.md", 4)
            await page.get_by_role("button", name="Untick").click()
            await expect(these).to_be_visible()
            await expect(page.locator("input:checked")).to_have_count(0)


@scene(deadline=60)
async def test_what_is_written_while_the_page_still_comes_is_what_is_searched_for(tmp_path: Path) -> None:
    come = asyncio.Event()

    async def slowly(route: Route) -> None:
        await come.wait()
        await route.continue_()

    async with kept(tmp_path) as made, page_of(made.room) as url:
        await spoken(made, 3)
        async with visit(url, WIDE) as visited:
            page = visited.page
            await page.route("**/praetorium/nuntii*", slowly)
            await page.goto("about:blank")
            await page.goto(f"{url}#/praetorium?agent=vorenus")
            await page.get_by_role("searchbox", name="Search").fill("ford")
            come.set()
            await expect(page.locator(".nuntii li")).to_have_count(2)
            await expect(page.get_by_label("Sent by or to")).to_have_value("vorenus")
            await page.get_by_role("button", name="Search").click()
            await expect(page.locator("mark")).to_have_text(["ford"] * 2)


@scene(deadline=60)
async def test_an_empty_record_an_empty_day_and_a_wrong_search_say_so(tmp_path: Path) -> None:
    async with (
        kept(tmp_path) as made,
        page_of(made.room) as url,
        visit(url, WIDE) as visited,
    ):
        page = visited.page
        status = page.get_by_role("status").first
        await expect(status).to_have_text("Nothing has been said yet.")
        await made.said("at last")
        await page.get_by_role("button", name="Newest").click()
        await expect(page.locator(".nuntii li")).to_have_text("caesar → legatus04:04at last")
        await page.get_by_label("Day").fill("2025-01-01")
        await expect(status).to_have_text("Nothing fits.")
        await visited.look("praetorium-empty")
        await page.get_by_role("searchbox", name="Search").fill("since:never x")
        await page.keyboard.press("Enter")
        await expect(page.locator("#toast")).to_contain_text("'never' is no day.")
        refused(visited)
