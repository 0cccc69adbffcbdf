"""The chat as one works in it all day: by keyboard alone, in long chats, with half an eye on it."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from playwright.async_api import FilePayload, Locator, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity

from legio.clock import SystemClock
from legio.console.access import Access, Identity
from legio.console.page import Room, page_routes
from legio.local.botapi.files import Upload
from legio.local.botapi.state import BotApiState
from legio.local.page import EARLIER, SHOWN
from legio.loopback import serving
from legio.praetorium import open_praetorium
from tests.browser.axe import faults
from tests.browser.browsing import NARROW, WIDE, visit
from tests.local.botapi.rig import OWNER, PEOPLE, PNG, TOKEN, Rig, fresh_state, rig
from tests.local.room import chat_page, chat_room
from tests.scenes import scene

pytestmark = pytest.mark.browser

COMMANDS = [
    ("status", "Who is awake, who is at work"),
    ("stop", "Stop who is at work"),
    ("search", "<img src=x onerror=alert(1)> find what was said"),
]
STOP = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop:1")]])
OUT_OF_SIGHT = """(hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
TOP = "(it) => it.getBoundingClientRect().top"


def field(page: Page) -> Locator:
    """Where one writes, whatever it is to a screen reader at the moment."""
    return page.get_by_label("Message", exact=True)


async def fits(page: Page) -> None:
    """Nothing makes the page wider than the window."""
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(wider) <= 0


async def chosen(page: Page, text: str) -> None:
    """The choice that is marked, for eyes and for ears."""
    marked = page.locator('#choices [aria-selected="true"]')
    await expect(marked).to_contain_text(text)
    name = await marked.get_attribute("id")
    assert name
    await expect(field(page)).to_have_attribute("aria-activedescendant", name)


async def said(camp: Rig, number: int = 1) -> list[str]:
    await camp.state.wait_for(lambda: len(camp.state.messages) >= number)
    return [message.text.plain for message in camp.state.messages]


@scene
async def test_a_command_is_chosen_from_the_menu_by_keys_alone() -> None:
    async with rig() as camp, visit(camp.page, NARROW) as visited:
        page, options = visited.page, visited.page.get_by_role("option")
        await camp.bot.set_my_commands(COMMANDS)
        await expect(field(page)).to_be_focused()
        await page.keyboard.type("/")
        await expect(options).to_have_count(3)
        await expect(page.get_by_role("combobox")).to_have_attribute("aria-expanded", "true")
        await expect(page.get_by_role("listbox", name="Commands")).to_contain_text(COMMANDS[2][1])
        await visited.look("commands")
        assert await faults(page) == []
        await page.keyboard.type("st")
        await expect(options).to_have_count(2)
        await chosen(page, "/status")
        await page.keyboard.press("ArrowDown")
        await chosen(page, "/stop")
        await page.keyboard.press("ArrowDown")
        await chosen(page, "/status")
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("textbox")).to_have_value("/stop ")
        await expect(options).to_have_count(0)
        await page.keyboard.press("Enter")
        assert await said(camp) == ["/stop"]


@scene
async def test_what_is_written_in_full_is_sent_and_escape_closes_the_menu_alone() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page, options = visited.page, visited.page.get_by_role("option")
        await camp.bot.set_my_commands(COMMANDS)
        sent = await camp.bot.send_message(OWNER, "what now?")
        await page.locator(f"#m{sent.message_id}").get_by_role("button", name="Reply").click()
        await page.keyboard.type("/stop")
        await expect(options).to_have_count(1)
        await page.keyboard.press("Escape")
        await expect(options).to_have_count(0)
        await expect(page.locator("#replying-to")).to_have_text("what now?")
        await page.keyboard.press("Backspace")
        await expect(field(page)).to_have_value("/sto")
        await expect(options).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(page.locator("#replying")).to_be_hidden()
        await field(page).fill("")
        await page.keyboard.type("/stop")
        await expect(options).to_have_count(1)
        await page.keyboard.press("Enter")
        assert (await said(camp, 2))[1:] == ["/stop"]
        await field(page).fill("no /st and no /stop")
        await field(page).fill("/unheard-of")
        await expect(options).to_have_count(0)


@scene
async def test_who_is_named_is_completed_and_everybody_can_be() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page, options = visited.page, visited.page.get_by_role("option")
        await expect(field(page)).to_be_focused()
        await page.keyboard.type("ask @")
        await expect(options).to_have_count(len(PEOPLE) + 2)
        await expect(page.get_by_role("listbox", name="Who is in the camp")).to_contain_text("@all")
        await expect(options.nth(2)).to_contain_text("@legatus")
        await visited.look("mentions")
        assert await faults(page) == []
        await page.keyboard.type("vo")
        await expect(options).to_have_text(["@vorenus Surveys fords & fields"])
        await page.keyboard.press("Tab")
        await expect(field(page)).to_have_value("ask @vorenus ")
        await page.keyboard.type("and (@ull")
        await options.click()
        await expect(field(page)).to_have_value("ask @vorenus and (@pullo ")
        await expect(field(page)).to_be_focused()
        await page.keyboard.type("@vorenus")
        await expect(options).to_have_count(1)
        await page.keyboard.press("Home")
        await expect(options).to_have_count(0)
        for text in ("caesar@", "a/@", "\\@", "@ "):
            await field(page).fill("")
            await page.keyboard.type(text)
            await expect(options).to_have_count(0)
        await page.keyboard.type("@")
        await expect(options).to_have_count(len(PEOPLE) + 2)
        await page.get_by_role("log").focus()
        await expect(options).to_have_count(0)


@scene
async def test_a_line_stands_above_what_came_while_one_read_further_up() -> None:
    async with rig() as camp, visit(camp.page, NARROW) as visited:
        page = visited.page
        for number in range(30):
            camp.state.say(f"line {number}")
        await expect(page.get_by_text("line 29")).to_be_in_viewport()
        await expect(page.locator(".down")).to_be_hidden()
        await page.locator("#log").hover()
        await page.mouse.wheel(0, -900)
        await expect(page.get_by_role("button", name="To the end")).to_be_visible()
        before = await page.locator("#log").evaluate("(it) => it.scrollTop")
        first = await camp.bot.send_message(OWNER, "the first")
        await camp.bot.send_message(OWNER, "the second")
        await camp.bot.edit_message_text("the first of two", OWNER, first.message_id)
        await expect(page).to_have_title("(2) Chat · Legio")
        await expect(page.get_by_text("the first of two")).to_be_attached()
        assert await page.locator("#log").evaluate("(it) => it.scrollTop") == before
        assert await page.locator(".new + article").get_attribute("id") == f"m{first.message_id}"
        await visited.look("unread")
        assert await faults(page) == []
        await page.get_by_role("button", name="2 new: to the end").click()
        await expect(page.get_by_text("the second")).to_be_in_viewport()
        await expect(page).to_have_title("Chat · Legio")
        await expect(page.locator(".new")).to_be_visible()
        await expect(page.locator(".down")).to_be_hidden()
        await field(page).fill("seen")
        await page.keyboard.press("Enter")
        await expect(page.locator(".new")).to_be_hidden()


@scene
async def test_what_comes_while_the_page_is_out_of_sight_is_counted_until_it_is_looked_at() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        await camp.bot.send_message(OWNER, "seen")
        await expect(page.get_by_text("seen")).to_be_visible()
        await page.evaluate(OUT_OF_SIGHT, True)  # noqa: FBT003  (an argument of the script)
        sent = [await camp.bot.send_message(OWNER, text) for text in ("one", "two", "three")]
        await expect(page).to_have_title("(3) Chat · Legio")
        await camp.bot.delete_message(OWNER, sent[0].message_id)
        await expect(page).to_have_title("(2) Chat · Legio")
        assert await page.locator(".new + article").get_attribute("id") == f"m{sent[1].message_id}"
        camp.state.say("mine, from another device")
        await expect(page.get_by_text("mine, from another device")).to_be_visible()
        await expect(page).to_have_title("(2) Chat · Legio")
        await page.evaluate(OUT_OF_SIGHT, False)  # noqa: FBT003  (an argument of the script)
        await expect(page).to_have_title("Chat · Legio")


def long_chat(count: int) -> BotApiState:
    """Lines of the owner's, each of another height."""
    state = fresh_state()
    for number in range(count):
        state.say(f"line {number}" + "\nand more" * (number % 3))
    return state


@scene(deadline=60)
async def test_what_is_further_up_comes_when_one_gets_there_and_nothing_jumps() -> None:
    state = long_chat(SHOWN + EARLIER + 10)
    async with chat_page(state) as url, visit(url, NARROW) as visited:
        page = visited.page
        lines = page.locator("article")
        await expect(lines).to_have_count(SHOWN)
        state.edit(state.messages[0].id, "line 0, corrected out of sight")
        await page.get_by_role("log").focus()
        seen = page.locator(f"#m{state.messages[EARLIER + 14].id}")
        before = await seen.evaluate(
            f"(it) => {{ document.getElementById('log').scrollTop = 300; return ({TOP})(it); }}"
        )
        await expect(lines).to_have_count(SHOWN + EARLIER)
        assert abs(await seen.evaluate(TOP) - before) < 2
        state.edit(state.messages[EARLIER + 2].id, "grown\n" * 20)
        await expect(page.get_by_text("grown")).to_be_attached()
        assert abs(await seen.evaluate(TOP) - before) < 2
        await expect(seen).to_be_in_viewport()
        await page.keyboard.press("Home")
        await expect(lines).to_have_count(SHOWN + EARLIER + 10)
        await page.keyboard.press("Home")
        await expect(page.get_by_text("line 0, corrected out of sight")).to_be_in_viewport()
        texts = await lines.locator(".text").all_inner_texts()
        assert [text.split("\n")[0] for text in texts[1 : EARLIER + 2]] == [
            f"line {number}" for number in range(1, EARLIER + 2)
        ]


@scene(deadline=60)
async def test_a_quoted_message_is_fetched_and_reached_by_keyboard() -> None:
    state = long_chat(SHOWN + 2 * EARLIER)
    state.say("what was that?", reply_to=state.messages[3].id)
    async with chat_page(state) as url, visit(url) as visited:
        page = visited.page
        await page.locator(".quoted").press("Enter")
        first = page.locator(f"#m{state.messages[3].id}")
        await expect(first).to_be_in_viewport()
        await expect(first).to_be_focused()
        await expect(page.locator("article")).to_have_count(len(state.messages))


@scene
async def test_code_is_copied_and_can_be_pasted_or_it_is_said_that_it_cannot() -> None:
    code = "feet = 9\n<b>deep</b>"
    async with rig() as camp, visit(camp.page, NARROW) as visited:
        page = visited.page
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        entities = [MessageEntity("pre", 4, len(code), language="python")]
        sent = await camp.bot.send_message(OWNER, f"see {code}", entities=entities)
        shown = page.locator(f"#m{sent.message_id}")
        await visited.look("code")
        await shown.get_by_role("button", name="Copy").press("Enter")
        await expect(page.locator("#toast")).to_have_text("Copied")
        await field(page).focus()
        await page.keyboard.press("Control+V")
        await expect(field(page)).to_have_value(code)
        await page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
        await shown.get_by_role("button", name="Copy").click()
        await expect(page.locator("#toast")).to_have_text("The browser does not let this page copy.")


async def _walk(page: Page, key: str, steps: int) -> list[str]:
    """What the keyboard comes to, by its name."""
    names = []
    for _ in range(steps):
        await page.keyboard.press(key)
        names.append(
            await page.evaluate("((it) => it.ariaLabel || it.textContent || it.id)(document.activeElement)")
        )
    return names


@scene
async def test_everything_is_reached_and_done_by_keyboard_alone() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        await expect(field(page)).to_be_focused()
        await page.keyboard.type("the fort is deep")
        await page.keyboard.press("Enter")
        card = await camp.bot.send_message(OWNER, "at work", reply_markup=STOP)
        await expect(page.get_by_role("button", name="Stop")).to_be_visible()
        back = await _walk(page, "Shift+Tab", 5)
        assert back == ["Send files", "Stop", "Reply", "Edit", "Reply"]
        assert await _walk(page, "Tab", 3) == ["Edit", "Reply", "Stop"]
        await camp.bot.edit_message_text("still at work", OWNER, card.message_id, reply_markup=STOP)
        await expect(page.get_by_text("still at work")).to_be_visible()
        await expect(page.get_by_role("button", name="Stop")).to_be_focused()
        await page.keyboard.press("Enter")
        await camp.state.wait_for(lambda: camp.state.queries)
        queries = [update.callback_query for update in await camp.bot.get_updates(timeout=10)]
        assert queries[-1]
        await queries[-1].answer("Stopped.")
        await expect(page.locator("#toast")).to_have_text("Stopped.")
        await camp.bot.edit_message_text("over", OWNER, card.message_id)
        await expect(page.locator(f"#m{card.message_id}").get_by_role("button", name="Reply")).to_be_focused()
        await field(page).focus()
        await page.keyboard.press("ArrowUp")
        await expect(field(page)).to_have_value("the fort is deep")
        await page.keyboard.press("Escape")
        await expect(field(page)).to_have_value("")
        await page.keyboard.press("ArrowUp")
        await field(page).fill("the ford is deep")
        await page.keyboard.press("Enter")
        await camp.state.wait_for(lambda: camp.state.messages[0].text.plain == "the ford is deep")


@scene
async def test_what_one_opened_stays_open_when_the_message_changes() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        sent = await camp.bot.send_message(
            OWNER, "quote", entities=[MessageEntity("expandable_blockquote", 0, 5)]
        )
        await page.get_by_role("button", name="Show more").click()
        longer = [MessageEntity("expandable_blockquote", 0, 6)]
        await camp.bot.edit_message_text("quotes", OWNER, sent.message_id, entities=longer)
        await expect(page.get_by_text("quotes")).to_be_visible()
        await expect(page.get_by_role("button", name="Show less")).to_be_focused()


async def _script(_: Request) -> Response:
    script = (
        "export async function open(main, kit) { main.append(kit.make('p', {}, 'Nothing to do here.')); }"
    )
    return Response(script, media_type="text/javascript")


TENT: Sequence[Room] = (Room("tent", "Tent", "/tent.js", [Route("/tent.js", _script)]),)


@scene
async def test_who_leaves_the_room_and_comes_back_finds_what_he_was_writing_and_what_is_new() -> None:
    async with rig(beside=TENT) as camp, visit(camp.page) as visited:
        page = visited.page
        camp.state.say("seen")
        await expect(page.get_by_text("seen")).to_be_visible()
        await field(page).fill("half a thought")
        await page.get_by_role("link", name="Tent", exact=True).click()
        await expect(page.get_by_text("Nothing to do here.")).to_be_visible()
        assert await page.locator(".phone").count() == 0
        # Who still followed would try to show this in a room that is gone.
        query = camp.state.press(camp.state.messages[0].id, "a")["callback_query"]["id"]
        await camp.bot.answer_callback_query(query, "An alert.", show_alert=True)
        sent = await camp.bot.send_message(OWNER, "news")
        await page.get_by_role("link", name="Chat").click()
        await expect(field(page)).to_have_value("half a thought")
        assert await page.locator(".new + article").get_attribute("id") == f"m{sent.message_id}"
        camp.state.say("after")
        await expect(page.get_by_text("after")).to_be_visible()
        await expect(page.locator("article")).to_have_count(3)


@contextlib.asynccontextmanager
async def walled(folder: Path, state: BotApiState) -> AsyncIterator[tuple[str, Access]]:
    """The page behind its wall, as Legio serves it."""
    async with open_praetorium(folder / "praetorium.db", SystemClock()) as praetorium:
        access = Access(praetorium.settings, SystemClock(), Identity(OWNER, TOKEN))
        routes = [*access.routes(), *page_routes([chat_room(state)])]
        async with serving(access.wall(Starlette(routes=routes))) as url:
            yield url, access


@scene(deadline=60)
async def test_the_chat_works_behind_the_wall_and_who_signs_out_elsewhere_is_led_to_the_door(
    tmp_path: Path,
) -> None:
    state = fresh_state()
    async with walled(tmp_path, state) as (url, access), visit(url) as visited:
        page = visited.page
        await page.goto(await access.link(url), wait_until="commit")
        await field(page).fill("let me in")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("let me in")).to_be_visible()
        picture = FilePayload(name="a.png", mimeType="image/png", buffer=PNG)
        await page.get_by_label("Send files").set_input_files(picture)
        await expect(page.locator("img.photo")).to_have_js_property("naturalWidth", 1)
        token = (await (await page.request.get(f"{url}/rooms")).json())["token"]
        await page.request.post(f"{url}/logout", headers={"Origin": url, "X-Legio-Token": token}, data={})
        await page.wait_for_url("**/login")
        assert all("401" in each for each in visited.complaints)
        visited.complaints.clear()


@scene
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_nothing_in_the_room_keeps_anybody_out(size: tuple[int, int]) -> None:
    async with rig() as camp, visit(camp.page, size) as visited:
        page = visited.page
        assert await faults(page) == []
        camp.state.topics_enabled = True
        await camp.bot.create_forum_topic(OWNER, "vorenus")
        camp.state.say("look at this")
        camp.state.send_file(Upload("a.png", PNG, "image/png"), kind="photo")
        camp.state.send_file(Upload("plan.pdf", b"a", "application/pdf"))
        text = "bold link #tag /help spoiler\nfeet = 9\nquoted"
        places = [("bold", "bold"), ("spoiler", "spoiler"), ("expandable_blockquote", "quoted")]
        entities = [MessageEntity(kind, text.index(word), len(word)) for kind, word in places]
        entities.append(MessageEntity("text_link", text.index("link"), 4, url="https://example.org/"))
        entities.append(MessageEntity("pre", text.index("feet"), 8, language="python"))
        sent = await camp.bot.send_message(
            OWNER, text, entities=entities, reply_markup=STOP, reply_to_message_id=camp.state.messages[0].id
        )
        await camp.bot.set_message_reaction(OWNER, camp.state.messages[0].id, "👀")
        await camp.bot.send_message_draft(OWNER, 1, "so far")
        await expect(page.locator(".draft")).to_be_visible()
        await page.locator(f"#m{sent.message_id}").get_by_role("button", name="Reply").click()
        await fits(page)
        await visited.look("everything")
        assert await faults(page) == []
