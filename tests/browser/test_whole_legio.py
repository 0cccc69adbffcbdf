"""All of Legio behind the chat page, as a person meets it: with nothing in between but a real browser."""

import contextlib
import json
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import FilePayload, Locator, Page, expect

from legio.config import Streaming
from legio.local.model import Answer
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.e2e.world import World, world
from tests.scenes import scene

pytestmark = [pytest.mark.browser, pytest.mark.cli]

PATIENCE_MS = 30_000
MARKDOWN = """
## The ford

It is **deep**, see `survey.md`:

- two boats
- *no* bridge

```python
feet = 9
```

"""


def png(width: int, height: int) -> bytes:
    """A picture of that size, with something to see in it."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = zlib.crc32(kind + body).to_bytes(4, "big")
        return len(body).to_bytes(4, "big") + kind + body + check

    rows = (b"\0" + bytes(v for x in range(width) for v in (x % 256, y % 256, 120)) for y in range(height))
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@contextlib.asynccontextmanager
async def met(
    folder: Path, size: tuple[int, int], *, streaming: Streaming = "edit"
) -> AsyncIterator[tuple[World, Visit]]:
    """Legio at work, and its page open."""
    async with world(folder) as made:
        telegram = replace(made.config.telegram, streaming=streaming)
        made.config = replace(made.config, telegram=telegram)
        async with made.legio(), visit(made.page_url, size) as visited:
            visited.page.set_default_timeout(PATIENCE_MS)
            yield made, visited


async def say(page: Page, text: str) -> None:
    await page.get_by_role("textbox").fill(text)
    await page.keyboard.press("Enter")


def theirs(page: Page, text: str) -> Locator:
    """The newest message of Legio's that holds a text."""
    return page.locator("article:not(.mine):not(.draft)", has_text=text).last


async def rested(page: Page) -> None:
    """Until no roll-call has a button to stop: those of what has ended would be taken for those that come."""
    await expect(page.get_by_role("button", name="⏹")).to_have_count(0, timeout=PATIENCE_MS)


async def seen(found: Locator) -> None:
    await expect(found).to_be_visible(timeout=PATIENCE_MS)


@scene(deadline=120)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_roll_is_called_an_answer_grows_and_one_is_stopped_by_thumb(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with met(tmp_path, size) as (made, visited):
        page = visited.page
        made.model.script_next(Answer(MARKDOWN * 12, pace=0.06))
        await say(page, "@vorenus survey the ford")
        await seen(theirs(page, "vorenus").get_by_role("button", name="⏹ vorenus"))
        await seen(theirs(page, "It is deep"))
        await say(page, "@pullo @brutus slow 600")
        roll = theirs(page, "pullo").filter(has=page.get_by_role("button", name="Stop all"))
        await seen(roll)
        await visited.look("roll-call")
        await roll.get_by_role("button", name="⏹ pullo").click()
        await seen(theirs(page, "⏹ pullo: stopped."))
        await seen(page.get_by_role("button", name="🔁 pullo"))
        await visited.look("stopped")
        await page.get_by_role("button", name="⏹ brutus").click()
        await seen(theirs(page, "⏹ brutus: stopped."))
        answer = theirs(page, "⚔️ vorenus — ")
        await seen(answer)
        await expect(answer.locator("pre").first).to_contain_text("feet = 9")
        await rested(page)
        await visited.look("answered")


@scene(deadline=120)
async def test_an_answer_grows_as_a_draft_where_that_is_wanted(tmp_path: Path) -> None:
    async with met(tmp_path, NARROW, streaming="draft") as (made, visited):
        page = visited.page
        made.model.script_next(Answer(MARKDOWN * 8, pace=0.06))
        await say(page, "@vorenus survey the ford")
        await expect(page.locator(".draft")).to_contain_text("It is deep", timeout=PATIENCE_MS)
        await visited.look("draft")
        await seen(theirs(page, "⚔️ vorenus — "))
        await expect(page.locator(".draft")).to_have_count(0, timeout=PATIENCE_MS)


@scene(deadline=120)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_picture_goes_in_and_a_file_comes_out(tmp_path: Path, size: tuple[int, int]) -> None:
    async with met(tmp_path, size) as (made, visited):
        page = visited.page
        await page.get_by_role("textbox").fill("@pullo what do you see")
        picture = FilePayload(name="ford.png", mimeType="image/png", buffer=png(320, 200))
        await page.get_by_label("Send files").set_input_files(picture)
        await seen(theirs(page, "I see an image of 320x200."))
        workspace = made.castra.workspace("pullo")
        (workspace / "survey.md").write_text("# The ford\n\nIt is deep.\n")
        (workspace / "ford.png").write_bytes(png(400, 260))
        await say(page, "@pullo send me the file survey.md")
        link = page.locator("article:not(.mine) a.file", has_text="survey.md")
        await seen(link)
        async with page.expect_download() as download:
            await link.click()
        assert (await (await download.value).path()).read_text().endswith("It is deep.\n")
        await say(page, "@pullo send me the picture ford.png")
        await expect(page.locator("article:not(.mine) img.photo")).to_have_js_property(
            "naturalWidth", 400, timeout=PATIENCE_MS
        )
        await visited.look("files")


@scene(deadline=120)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_what_is_granted_on_caesars_word_is_allowed_by_thumb(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with met(tmp_path, size) as (made, visited):
        page, prompt = visited.page, made.castra.prompt("pullo")
        prompt.write_text(prompt.read_text().replace("---\n", "---\nask: [Write]\n", 1))
        path = made.castra.workspace("pullo") / "built.txt"
        change = json.dumps({"file_path": str(path), "content": "a bridge"})
        await say(page, f"@pullo tool Write {change}")
        card = theirs(page, "a bridge")
        await seen(card.get_by_role("button", name="Allow once"))
        await visited.look("asked")
        await card.get_by_role("button", name="Allow once").click()
        await seen(theirs(page, "allowed once"))
        await expect(page.get_by_role("button", name="Allow once")).to_have_count(0)
        await seen(theirs(page, "⚔️ pullo — "))
        await visited.look("allowed")
        assert (made.castra.workspace("pullo") / "built.txt").exists()


@scene(deadline=120)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_what_was_said_is_found_turned_page_by_page_and_quoted(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with met(tmp_path, size) as (_, visited):
        page = visited.page
        for number in range(3):
            await say(page, f"@pullo echo the ford is {number} feet deep")
            await seen(theirs(page, f"the ford is {number} feet deep"))
        await say(page, "/search ford")
        found = theirs(page, "6 found")
        await seen(found.get_by_role("button", name="1/2"))
        await expect(found.locator("strong").first).to_have_text("ford")
        await visited.look("found")
        await found.get_by_role("button", name="›").click()
        await seen(found.get_by_role("button", name="2/2"))
        await found.get_by_role("button", name="6", exact=True).click()
        await seen(page.locator("article:not(.mine) .quoted").last)
        await say(page, "/session @pullo")
        await seen(theirs(page, "Context: "))
        await visited.look("session")


@scene(deadline=120)
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_one_is_reminded_and_takes_back_by_thumb_what_was_set_up(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with met(tmp_path, size) as (_, visited):
        page = visited.page
        await say(page, "/remind in 2 seconds the tea is ready")
        await seen(theirs(page, "Reminder 1: the tea is ready"))
        await seen(theirs(page, "⏰ the tea is ready"))
        await say(page, "remind me tomorrow at nine to call Livia")
        await seen(theirs(page, "Understood, as schedule 2"))
        card = theirs(page, "reminder 2: call Livia, set up by the Legatus.")
        await card.get_by_role("button", name="Undo").click()
        await seen(theirs(page, "Undone: nothing is set up."))
        await say(page, "/schedule every Monday 8:00 @vorenus survey the ford")
        await seen(theirs(page, "then every Monday at 08:00"))
        await say(page, "/schedule")
        await seen(theirs(page, "/unschedule <number> takes one away."))
        await visited.look("standing")
