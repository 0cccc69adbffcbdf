"""The room Agents as a person meets it: who serves is read, set, recruited and dismissed."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from legio.console.rooms.agents import agents_room
from tests.browser.browsing import NARROW, Visit, visit
from tests.browser.test_now_room import HOSTILE, PATIENCE_MS, looked_at
from tests.camp import Legion, legion
from tests.console.rig import page_of
from tests.fakes import Stage
from tests.scenes import scene
from tests.surveys import survey_of

pytestmark = pytest.mark.browser


@scene(deadline=120)
async def test_agents_are_read_set_recruited_and_dismissed(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        camp.castra.prompt("pullo").write_text(
            f"---\n# kept\ndescription: '{HOSTILE}'\ntools: [Read, mcp__hub]\n---\nYou are pullo.\n"
        )
        camp.castra.prompt("vorenus").write_text("broken")
        for text in (
            "@pullo @brutus ave",
            "@pullo once more",
            "@brutus ave",
            "ave legate",
            "@pullo and again",
        ):
            await camp.say(text)
        await camp.settled(6)
        room = agents_room(survey_of(camp), camp.recruiting, camp.praetorium.talk, configured=("hub",))
        async with page_of(room) as url, visit(url, NARROW) as visited:
            visited.page.set_default_timeout(PATIENCE_MS)
            await all_is_seen(visited)
            await a_form_sets_what_is_granted(visited, camp)
            await what_another_hand_changed_is_kept(visited.page, camp)
            assert ["400" in complaint for complaint in visited.complaints] == [True]
            visited.complaints.clear()
            await one_comes_and_goes(visited.page, camp)


async def all_is_seen(visited: Visit) -> None:
    page = visited.page
    pullo = page.locator('[data-agent="pullo"]')
    await expect(pullo).to_contain_text(HOSTILE, timeout=PATIENCE_MS)
    await expect(pullo.get_by_role("listitem")).to_contain_text(
        ["Read reads files in his own folder", "mcp__hub uses every tool of the server hub"]
    )
    await expect(page.locator('[data-agent="vorenus"]')).to_contain_text("there is no front matter")
    await expect(page.get_by_role("button", name="Edit vorenus")).to_have_count(0)
    await expect(page.get_by_role("button", name="Remove legatus")).to_have_count(0)
    picture = page.get_by_role("img", name="Who talked to whom")
    await expect(picture.locator(".name")).to_have_text(["caesar", "legatus", "brutus", "pullo"])
    await page.get_by_text("The same as a table").click()
    await expect(page.get_by_role("row").filter(has_text="caesar")).to_contain_text(
        ["caesarbrutus2", "caesarlegatus1", "caesarpullo3"]
    )
    await picture.scroll_into_view_if_needed()
    await looked_at(visited, "agents-talk")
    await page.evaluate("document.querySelector('main').scrollTo(0, 0)")
    await looked_at(visited, "agents")


async def a_form_sets_what_is_granted(visited: Visit, camp: Legion) -> None:
    page = visited.page
    pullo = page.locator('[data-agent="pullo"]')
    await pullo.get_by_role("button", name="Edit pullo").click()
    form = page.get_by_role("form", name="Edit pullo")
    await expect(form.get_by_label("What he is for")).to_be_focused()
    await expect(form.get_by_label("What he is for")).to_have_value(HOSTILE)
    await form.get_by_label("What he is for").fill("Builds bridges")
    await form.get_by_label("Effort").select_option("low")
    await form.get_by_text("Grants (2)").click()
    await form.get_by_label("Bash").select_option("asks first")
    await form.get_by_label("Read", exact=False).first.select_option("no")
    await form.get_by_label("Another grant").fill("mcp__hub__look")
    await form.get_by_role("button", name="Add").click()
    await expect(form.get_by_label("mcp__hub__look")).to_be_focused()
    await looked_at(visited, "agents-form")
    await form.get_by_role("button", name="Save").click()
    await expect(page.locator("#toast")).to_contain_text("pullo is as you set him")
    await expect(pullo.get_by_role("button", name="Edit pullo")).to_be_focused()
    await expect(pullo).to_contain_text("asks you first")
    assert camp.roster.text("pullo") == (
        "---\n# kept\ndescription: Builds bridges\ntools: [mcp__hub]\neffort: low\n"
        "ask: [Bash, mcp__hub__look]\n---\nYou are pullo.\n"
    )


async def what_another_hand_changed_is_kept(page: Page, camp: Legion) -> None:
    await page.get_by_role("button", name="Edit pullo").click()
    form = page.get_by_role("form", name="Edit pullo")
    await form.get_by_label("Model").fill("opus")
    prompt = camp.castra.prompt("pullo")
    prompt.write_text(prompt.read_text() + "Be brief.\n")
    await form.get_by_role("button", name="Save").click()
    await expect(page.locator("#toast")).to_contain_text("has been changed since you opened it")
    await expect(form.get_by_label("Model")).to_have_value("opus")
    await form.get_by_role("button", name="Cancel").click()
    await expect(page.get_by_role("button", name="Edit pullo")).to_be_focused()
    assert camp.roster.profile("pullo").model is None


async def one_comes_and_goes(page: Page, camp: Legion) -> None:
    await page.get_by_text("Recruit a centurio").click()
    await page.get_by_label("Name").fill("titus")
    await page.get_by_label("What he is for, in a sentence").fill("Finds fords")
    await page.keyboard.press("Enter")
    titus = page.locator('[data-agent="titus"]')
    await expect(titus).to_contain_text("Finds fords")
    await titus.get_by_role("button", name="Remove titus").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove titus").click()
    await expect(page.locator("#toast")).to_contain_text("titus has been removed.")
    await expect(titus).to_have_count(0)
    assert "titus" not in camp.roster.names()
