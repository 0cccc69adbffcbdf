"""On a phone's page: what is sent beside text, what is said to somebody busy, and what is asked again."""

import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from playwright.async_api import FilePayload, Locator, Page, expect

from legio.bot.presses import OVER
from legio.local.model import Answer, ModelRequest
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.browser.test_whole_legio import PATIENCE_MS, png, rested, say, seen, theirs
from tests.e2e.world import World, world
from tests.scenes import scene

pytestmark = [pytest.mark.browser, pytest.mark.cli]

GATHER_SECONDS = 60.0
"""Long enough for any two messages of a slow machine to belong together."""

FORD = FilePayload(name="ford.png", mimeType="image/png", buffer=png(320, 200))
BANK = FilePayload(name="bank.png", mimeType="image/png", buffer=png(300, 240))
NOTES = FilePayload(name="notes.txt", mimeType="text/plain", buffer=b"the ford is <deep> & cold")
VOICE = FilePayload(name="voice.ogg", mimeType="audio/ogg", buffer=b"OggS")

MARK = """(shown, words) => {
    const walk = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode, at = node.data.indexOf(words);
        if (at >= 0) getSelection().setBaseAndExtent(node, at, node, at + words.length);
    }
}"""


@contextlib.asynccontextmanager
async def phone(folder: Path) -> AsyncIterator[tuple[World, Visit]]:
    """Legio at work, and its page open on a phone."""
    async with (
        world(folder, gather=GATHER_SECONDS) as made,
        made.legio(),
        visit(made.page_url, NARROW) as visited,
    ):
        visited.page.set_default_timeout(PATIENCE_MS)
        yield made, visited


async def look(visited: Visit, name: str) -> None:
    """As it is on the phone, and as it is on a desk."""
    await visited.look(name)
    await visited.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    await visited.look(name)
    await visited.page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})


async def send(page: Page, caption: str, *files: FilePayload) -> None:
    """Choose files with a caption in the box."""
    await page.get_by_role("textbox").fill(caption)
    await page.get_by_label("Send files").set_input_files(files)


def mine(page: Page, text: str) -> Locator:
    return page.locator("article.mine", has_text=text)


def answers(page: Page, agent: str, text: str = "") -> Locator:
    """Every answer of an agent's that holds a text."""
    return page.locator("article:not(.mine)", has_text=f"⚔️ {agent} — ").filter(has_text=text)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name)


def asked_of(agent: str) -> Callable[[ModelRequest], bool]:
    """Matches the requests of one agent."""
    return lambda request: f'<agent name="{agent}"/>' in request.system


async def counted(found: Locator, number: int) -> None:
    await expect(found).to_have_count(number, timeout=PATIENCE_MS)


@scene(deadline=120)
async def test_an_album_a_text_a_voice_and_a_place_are_each_answered_once(tmp_path: Path) -> None:
    async with phone(tmp_path) as (made, visited):
        page = visited.page
        await send(page, "@pullo what do you see", FORD, BANK)
        await seen(answers(page, "pullo", "I see an image of 320x200. I see an image of 300x240."))
        await counted(page.locator("article.mine img.photo"), 2)
        await counted(mine(page, "@pullo what do you see"), 1)
        await look(visited, "album")

        await send(page, "@pullo look", NOTES)
        read = answers(page, "pullo", "notes.txt, which says: “the ford is <deep> & cold”")
        await seen(read)
        await read.locator(".text").evaluate(MARK, "<deep> & cold")
        await read.get_by_role("button", name="Reply").click()
        await expect(page.locator("#replying-to")).to_have_text("“<deep> & cold”", timeout=PATIENCE_MS)
        await visited.look("quoting")
        await say(page, "what do you see")
        await seen(answers(page, "pullo", "You mean what pullo said: “<deep> & cold”"))
        await expect(mine(page, "what do you see").last.locator(".quoted")).to_have_text(
            "<deep> & cold", timeout=PATIENCE_MS
        )
        await look(visited, "quoted")

        await send(page, "", VOICE)
        await seen(theirs(page, "voice-").filter(has_text="it was not heard: there is no command for it."))
        await visited.look("unheard")
        await seen(answers(page, "legatus", "I was given voice-"))
        made.telegram.send_location(41.5, 12.25)
        await seen(mine(page, "📍 41.5, 12.25"))
        await seen(answers(page, "legatus", "📍 41.500000, 12.250000"))
        await look(visited, "voice-and-place")
        await counted(answers(page, "pullo"), 3)
        await counted(answers(page, "legatus"), 2)


async def busy_until_denied(made: World, page: Page) -> None:
    """Pullo is in the middle of a turn, for as long as nobody presses Deny."""
    prompt = made.castra.prompt("pullo")
    prompt.write_text(prompt.read_text().replace("---\n", "---\nask: [Write]\n", 1))
    change = {"file_path": "built.txt", "content": "A bridge.\n"}
    await say(page, f"@pullo tool Write {json.dumps(change)}")
    await seen(button(page, "Deny"))


@scene(deadline=120)
async def test_what_is_said_to_one_who_is_busy_waits_is_mended_and_may_interrupt(tmp_path: Path) -> None:
    async with phone(tmp_path) as (made, visited):
        page = visited.page
        await busy_until_denied(made, page)
        await say(page, "@pullo echo one")
        await seen(mine(page, "@pullo echo one").get_by_text("👀"))
        await say(page, "@pullo and tow")
        await seen(mine(page, "@pullo and tow").get_by_text("👀"))
        await mine(page, "@pullo and tow").get_by_role("button", name="Edit").click()
        await expect(page.get_by_role("textbox")).to_have_value("@pullo and tow", timeout=PATIENCE_MS)
        await say(page, "@pullo and two")
        await seen(theirs(page, "✏️ Taken: it waits for pullo as it stands now."))
        await expect(mine(page, "@pullo and two").locator(".meta")).to_contain_text(
            "edited", timeout=PATIENCE_MS
        )
        await look(visited, "waiting")
        await button(page, "Deny").click()
        await seen(answers(page, "pullo", "one @pullo and two"))
        await counted(page.locator(".reaction"), 0)
        await counted(answers(page, "pullo"), 2)
        await look(visited, "gathered")

        await rested(page)
        await say(page, "@pullo slow 600 then echo at last")
        await seen(button(page, "⏹ pullo"))
        await say(page, "!@pullo echo now")
        await seen(theirs(page, "⏹ pullo: stopped for your new message."))
        now = answers(page, "pullo").last
        await expect(now.locator(".quoted")).to_have_text("!@pullo echo now", timeout=PATIENCE_MS)
        await counted(answers(page, "pullo"), 3)
        await counted(button(page, "⏹ pullo"), 0)
        await look(visited, "interrupted")
        assert not any("tow" in str(request.body) for request in made.requests("pullo"))
        assert not (made.castra.workspace("pullo") / "built.txt").exists()


@scene(deadline=120)
async def test_who_failed_is_asked_again_and_all_are_stopped_by_thumb(tmp_path: Path) -> None:
    async with phone(tmp_path) as (made, visited):
        page, prompt = visited.page, made.castra.prompt("brutus")
        sound = prompt.read_text()
        prompt.write_text("no front matter at all")
        made.model.script_next(Answer("never", delay=600), match=asked_of("pullo"))
        await say(page, "@pullo @brutus fail 400")
        roll = theirs(page, "⛔ brutus cannot be started")
        await seen(roll.get_by_role("button", name="🔁 brutus"))
        await seen(theirs(page, "⛔ brutus: "))
        await look(visited, "failed")
        prompt.write_text(sound)
        await roll.get_by_role("button", name="🔁 brutus").click()
        refused = page.locator("article", has_text="⛔ brutus: ").filter(has_not_text="front matter")
        await seen(refused.get_by_role("button", name="Ask again"))
        made.model.script_next(Answer("I am here."), match=asked_of("brutus"))
        await refused.get_by_role("button", name="Ask again").click()
        await seen(answers(page, "brutus", "I am here."))
        await counted(refused.get_by_role("button", name="Ask again"), 0)
        await look(visited, "asked-again")
        await button(page, "Ask again").click()  # the one of the first failure, which was asked again already
        await expect(page.locator("#toast")).to_have_text(OVER, timeout=PATIENCE_MS)

        await one_and_all_are_stopped(visited)


async def one_and_all_are_stopped(visited: Visit) -> None:
    page = visited.page
    await button(page, "⏹ pullo").click()
    await seen(theirs(page, "⏹ pullo: stopped."))
    await rested(page)
    await say(page, "@pullo @brutus slow 600")
    await button(page, "Stop all").click()
    await seen(theirs(page, "⏹ brutus: stopped."))
    await seen(theirs(page, "⏹ pullo stopped · ⏹ brutus stopped"))
    await counted(page.locator("article", has_text="⏹ pullo: stopped."), 2)
    await rested(page)
    await look(visited, "all-stopped")
