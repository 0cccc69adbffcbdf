"""The room Memoria as a person meets it: orders and journals tended, prompts written, all of it undone."""

import re
from html import escape
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from legio.local.model import ModelState, model_server
from legio.nuntius import LEGATUS
from legio.ports import Kind
from tests.browser.browsing import NARROW, Visit, visit
from tests.browser.test_now_room import PATIENCE_MS, looked_at
from tests.camp import write_castra
from tests.console.rig import page_of
from tests.console.rooms.memoria.desk import HOSTILE, Desk, desk
from tests.e2e.world import World, world
from tests.scenes import scene

pytestmark = pytest.mark.browser

TEXT = "Answer in plain words.\nNever in verse.\n</text><script>alert(1)</script>"
ORDER = "Close every answer with the word FIDELITER."


def link(page: Page, name: str) -> Locator:
    return page.get_by_role("main").get_by_role("link", name=name, exact=True)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("main").get_by_role("button", name=name)


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("main").get_by_role("heading", name=name, exact=True)


async def at(visited: Visit, url: str, place: str) -> None:
    """Go somewhere by the address, as a bookmark does."""
    await visited.page.goto(f"{url}/#/memoria/{place}")


async def write(page: Page, title: str, text: str) -> None:
    await page.get_by_label("Title").fill(title)
    await page.get_by_label("Text").fill(text)


async def sure(page: Page, answer: str) -> None:
    await page.get_by_role("dialog").get_by_role("button", name=answer).click()


async def refused(visited: Visit, words: str) -> None:
    """The person is told; the browser says it too, which is no fault of the page's."""
    await expect(visited.page.get_by_text(words)).to_be_visible()
    assert [each for each in visited.complaints if "400" not in each] == []
    visited.complaints.clear()


@scene(deadline=120)
async def test_documents_are_written_amended_revoked_compared_and_put_back(tmp_path: Path) -> None:
    async with model_server(ModelState(key="scripted")) as model_url:
        made = desk(write_castra(tmp_path / "castra"), model_url)
        async with page_of(made.room) as url, visit(url, NARROW) as visited:
            visited.page.set_default_timeout(PATIENCE_MS)
            await an_edictum_is_written_by_keys_alone(visited, made)
            await what_was_typed_and_not_saved_is_still_there(visited.page)
            await what_changed_is_marked_and_undone(visited, made)
            await what_is_revoked_stands_again(visited.page, made)
            await another_hand_was_there_first(visited, made)
            await shelves_with_trouble_and_journals_are_shown(visited, made, url)


async def an_edictum_is_written_by_keys_alone(visited: Visit, made: Desk) -> None:
    page = visited.page
    await expect(page.get_by_text("Nothing stands here.")).to_be_visible()
    await looked_at(visited, "memoria-empty")
    await link(page, "Write an edictum").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Title")).to_be_focused()
    await page.keyboard.type(HOSTILE)
    await page.keyboard.press("Tab")
    await page.keyboard.insert_text(TEXT)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(heading(page, HOSTILE)).to_be_focused()
    await expect(page.locator(".text")).to_have_text(TEXT)
    await looked_at(visited, "memoria-document")
    (document,) = made.memoria.list(Kind.EDICTUM).documents
    assert (document.title, document.text, document.author) == (HOSTILE, TEXT, "caesar")


async def what_was_typed_and_not_saved_is_still_there(page: Page) -> None:
    await link(page, "Edit").click()
    await page.get_by_label("Text").fill("Half a sentence")
    await link(page, "Acta").click()
    await expect(link(page, "Write an actum")).to_be_visible()
    await page.go_back()
    await expect(page.get_by_label("Text")).to_have_value("Half a sentence")
    await page.reload()
    await expect(page.get_by_text("This is your draft, which was not saved.")).to_be_visible()
    await expect(page.get_by_label("Text")).to_have_value("Half a sentence")
    await button(page, "Discard the draft").click()
    await expect(page.get_by_label("Text")).to_have_value(TEXT)
    await expect(page.get_by_text("This is your draft")).to_have_count(0)


async def what_changed_is_marked_and_undone(visited: Visit, made: Desk) -> None:
    page = visited.page
    made.clock.advance(60)
    await write(
        page, HOSTILE, TEXT.replace("plain words", "very plain words").replace("Never in verse.\n", "")
    )
    await button(page, "Save").click()
    await page.get_by_role("main").get_by_role("link", name="Compare").click()
    shown = page.get_by_role("group", name="What has changed since")
    await expect(shown.locator("ins")).to_have_text([" very"])
    await expect(shown.locator("del")).to_have_text(["Never in verse."])
    await expect(shown.locator(".line.gone")).to_contain_text(["Gone: Answer in plain", "Gone: Never"])
    await looked_at(visited, "memoria-difference")
    await button(page, "Put back").click()
    await expect(page.locator(".text")).to_have_text(TEXT)
    await expect(page.locator(".versions > li")).to_have_count(2)
    (document,) = made.memoria.list(Kind.EDICTUM).documents
    assert document.text == TEXT


async def what_is_revoked_stands_again(page: Page, made: Desk) -> None:
    await button(page, "Revoke").click()
    await sure(page, "Cancel")
    await expect(page.locator(".text")).to_have_text(TEXT)
    await button(page, "Revoke").click()
    await sure(page, "Revoke")
    await expect(page.get_by_text("Nothing stands as")).to_be_visible()
    assert made.memoria.list(Kind.EDICTUM).documents == ()
    await link(page, "Edicta").click()
    await page.get_by_text("1 that stood once").click()
    await link(page, HOSTILE).click()
    await page.locator(".versions").get_by_role("button", name="revoked by caesar").click()
    await expect(page.locator(".text")).to_have_text(TEXT)
    (document,) = made.memoria.list(Kind.EDICTUM).documents
    assert document.text == TEXT


async def another_hand_was_there_first(visited: Visit, made: Desk) -> None:
    page = visited.page
    await link(page, "Edit").click()
    (was,) = made.memoria.list(Kind.EDICTUM).documents
    await page.get_by_label("Text").fill("Mine")
    now, _ = made.history.amend(was, title="Theirs", text="Theirs.", author=LEGATUS)
    await button(page, "Save").click()
    await refused(visited, "has been changed meanwhile: nothing was done.")
    await page.reload()
    await expect(page.get_by_label("Text")).to_have_value("Mine")
    await expect(page.get_by_text("What it began with has been changed since")).to_be_visible()
    await button(page, "Discard the draft").click()
    await expect(page.get_by_label("Text")).to_have_value("Theirs.")
    assert made.memoria.list(Kind.EDICTUM).documents == (now,)


async def shelves_with_trouble_and_journals_are_shown(visited: Visit, made: Desk, url: str) -> None:
    page = visited.page
    for number in range(30):
        made.memoria.write(
            Kind.ACTUM, title=f"Fact {number} {'long' * 20}", text="It is so.", author="vorenus"
        )
    (made.castra.acta / "broken.xml").write_text(f"<actum>{HOSTILE}")
    strange = f'<actum author="{escape(HOSTILE)}"><title>Strange</title><text>So.</text></actum>'
    (made.castra.acta / "strange.xml").write_text(strange)
    made.history.revoke(made.memoria.read(Kind.ACTUM, "strange"), HOSTILE)
    (made.castra.acta / "strange.xml").write_text(strange)
    made.memoria.write(
        Kind.COMMENTARIUM, title="Open points", text="Ask again.", author="vorenus", owner="vorenus"
    )
    await link(page, "Acta").click()
    await expect(page.get_by_text("acta/broken.xml: this is not well-formed XML")).to_be_visible()
    await expect(page.locator(".found > ul > li")).to_have_count(31)
    await looked_at(visited, "memoria-acta")
    await page.get_by_role("searchbox").fill("fact 7 ")
    await expect(page.locator(".found > ul > li")).to_have_count(1)
    await page.get_by_role("searchbox").fill("strange")
    await link(page, "Strange").click()
    await expect(page.locator(".document")).to_contain_text(f"strange · by {HOSTILE} · ")
    await expect(page.locator(".versions")).to_contain_text(f"by {HOSTILE} · revoked by {HOSTILE}")
    await link(page, "Commentarii").click()
    await page.get_by_label("Whose journal").select_option("vorenus")
    await link(page, "Open points").click()
    await expect(page.locator(".text")).to_have_text("Ask again.")
    await at(visited, url, "edicta/nothing-here")
    await refused(visited, "there is no edictum 'nothing-here'")


@scene(deadline=120)
async def test_a_prompt_is_checked_while_it_is_written_saved_compared_and_put_back(tmp_path: Path) -> None:
    async with model_server(ModelState(key="scripted")) as model_url:
        made = desk(write_castra(tmp_path / "castra"), model_url)
        was = made.castra.prompt("legatus").read_text()
        made.memoria.write(Kind.EDICTUM, title="Order", text=f"Speak plainly. {HOSTILE}", author="caesar")
        made.castra.prompt("pullo").write_text(f"---\ndescription: '{HOSTILE}'\n---\nYou build.")
        made.castra.prompt("brutus").write_text(f"---\n{HOSTILE}: 1\n---\n")
        async with page_of(made.room) as url, visit(url, NARROW) as visited:
            page = visited.page
            page.set_default_timeout(PATIENCE_MS)
            await link(page, "Prompts").click()
            await expect(page.get_by_text("vorenus's work")).to_be_visible()
            await expect(page.locator(".place li").filter(has_text="pullo")).to_contain_text(HOSTILE)
            await expect(page.locator(".place li").filter(has_text="brutus")).to_contain_text(
                f"line 2: there is no key '{HOSTILE}'"
            )
            await looked_at(visited, "memoria-prompts")
            await link(page, "legatus").click()
            await what_he_would_be_told_is_counted(visited)
            await what_is_wrong_is_said_by_its_line(visited)
            await it_is_saved_and_undone(visited, made, was)


async def what_he_would_be_told_is_counted(visited: Visit) -> None:
    page = visited.page
    await expect(page.get_by_text("The prompt can be used.")).to_be_visible()
    told = page.get_by_role("region", name="What he would be told")
    await expect(told).to_contain_text(re.compile(r"In all \d+ tokens counted by scripted-recruit"))
    await expect(told.locator("summary")).to_contain_text(
        ["Legio's own words", "His prompt", "The edicta", "Who serves"]
    )
    await told.locator("summary", has_text="The edicta").click()
    await expect(told.locator("details[open] pre")).to_contain_text("Speak plainly. &lt;img src=x")
    before = await told.get_by_text("In all").inner_text()
    text = page.get_by_label("prompt.md")
    await text.fill(f"{await text.input_value()}\nYou never sleep, and you say so.\n")
    await expect(told.get_by_text("In all")).not_to_have_text(before)
    await expect(told.locator("details[open] pre")).to_contain_text("Speak plainly.")
    await looked_at(visited, "memoria-prompt")


async def what_is_wrong_is_said_by_its_line(visited: Visit) -> None:
    page, text = visited.page, visited.page.get_by_label("prompt.md")
    good = await text.input_value()
    await text.fill(good.replace("---\n", "---\nmodle: opus\n", 1))
    await expect(page.locator(".flaws")).to_have_text(
        "Line 2: there is no key 'modle'. Did you mean 'model'?"
    )
    await expect(page.get_by_text("he cannot be started with this prompt")).to_be_visible()
    await looked_at(visited, "memoria-flaws")
    await button(page, "Save").click()
    await refused(visited, "this prompt cannot be used")
    await page.reload()
    await expect(text).to_have_value(good.replace("---\n", "---\nmodle: opus\n", 1))
    await text.fill(good)
    await expect(page.get_by_text("The prompt can be used.")).to_be_visible()


async def it_is_saved_and_undone(visited: Visit, made: Desk, was: str) -> None:
    page = visited.page
    await button(page, "Save").click()
    await expect(page.get_by_text("legatus's prompt stands from his next turn on.")).to_be_visible()
    assert "You never sleep" in made.muster("legatus").system_prompt
    await page.get_by_role("main").get_by_role("link", name="Compare until").click()
    await expect(page.locator("ins")).to_contain_text(["You never sleep, and you say so."])
    await looked_at(visited, "memoria-prompt-difference")
    await button(page, "Put back").click()
    await expect(page.get_by_label("prompt.md")).to_have_value(was)
    await expect(page.locator(".versions > li")).to_have_count(2)
    assert made.castra.prompt("legatus").read_text() == was


@pytest.mark.cli
@scene(deadline=120)
async def test_an_edictum_written_in_the_browser_is_obeyed_by_the_next_turn_and_undone(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as made:
        room = desk(made.castra, str(made.config.claude.base_url)).room
        async with made.legio(), page_of(room) as url, visit(url) as visited:
            page = visited.page
            page.set_default_timeout(PATIENCE_MS)
            assert ORDER not in await told(made)
            await link(page, "Write an edictum").click()
            await write(page, "Fideliter", ORDER)
            await button(page, "Save").click()
            await expect(heading(page, "Fideliter")).to_be_visible()
            assert f'<edictum name="fideliter" title="Fideliter">{ORDER}</edictum>' in await told(made)

            await link(page, "Edit").click()
            await page.get_by_label("Text").fill("Close every answer with the word CELERITER.")
            await button(page, "Save").click()
            await expect(page.locator(".text")).to_contain_text("CELERITER")
            assert "CELERITER" in await told(made)
            await button(page, "Put back").click()
            await expect(page.locator(".text")).to_have_text(ORDER)
            assert ORDER in await told(made)

            await button(page, "Revoke").click()
            await sure(page, "Revoke")
            await expect(page.get_by_text("Nothing stands as fideliter")).to_be_visible()
            said = await told(made)
            assert "fideliter" not in said.lower()
            assert "CELERITER" not in said


async def told(made: World) -> str:
    """The system prompt of vorenus's next turn."""
    await made.ask("@vorenus echo here")
    return made.requests("vorenus")[-1].system
