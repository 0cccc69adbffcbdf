"""The chat page as a person meets it: a real browser, a real bot, the loopback server between them."""

import contextlib

import httpx
import pytest
from playwright.async_api import FilePayload, Page, expect
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity

from legio.local.botapi.files import Upload
from tests.browser.browsing import NARROW, WIDE, visit
from tests.local.botapi.rig import OWNER, PNG, fresh_state, rig
from tests.local.room import PROOF, chat_page
from tests.scenes import scene

pytestmark = pytest.mark.browser

STOP = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop:1")]])
XSS = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "&lt;b&gt; &amp; </div>",
]


async def typed(page: Page, text: str) -> None:
    await page.get_by_label("Write a message").get_by_role("textbox").fill(text)
    await page.keyboard.press("Enter")


@scene
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_from_the_first_visit_to_the_answer_and_a_pressed_button(size: tuple[int, int]) -> None:
    async with rig() as camp, visit(camp.page, size) as visited:
        page = visited.page
        await expect(page.get_by_text("Nothing has been said yet.")).to_be_visible()
        await typed(page, "@vorenus what now?")
        (update,) = await camp.bot.get_updates(timeout=10)
        assert update.message
        assert update.message.text == "@vorenus what now?"
        answer = await update.message.reply_text(
            "vorenus: see code",
            entities=[MessageEntity("bold", 0, 7), MessageEntity("code", 13, 4)],
            reply_markup=STOP,
            do_quote=True,
        )
        shown = page.locator(f"#m{answer.message_id}")
        await expect(shown.locator("strong")).to_have_text("vorenus")
        await expect(shown.locator("code")).to_have_text("code")
        await expect(shown.locator(".quoted")).to_have_text("@vorenus what now?")
        await page.get_by_role("button", name="Stop").click()
        (pressed,) = await camp.bot.get_updates(offset=update.update_id + 1, timeout=10)
        assert pressed.callback_query
        assert pressed.callback_query.data == "stop:1"
        await pressed.callback_query.answer("Stopped.")
        await expect(page.locator("#toast")).to_have_text("Stopped.")
        await pressed.callback_query.edit_message_text("It is over.")
        await expect(shown).to_contain_text("It is over.")
        await expect(shown).to_contain_text("edited")
        await expect(page.get_by_role("button", name="Stop")).to_have_count(0)


@scene
async def test_every_kind_of_entity_is_shown_as_what_it_is() -> None:
    text = "a bold b pre1\npre2 c quote d link e spoiler f @name /help #tag"
    places = [
        ("bold", "bold"),
        ("pre", "pre1\npre2"),
        ("expandable_blockquote", "quote"),
        ("spoiler", "spoiler"),
    ]
    entities = [MessageEntity(kind, text.index(word), len(word)) for kind, word in places]
    entities.append(MessageEntity("text_link", text.index("link"), 4, url="https://example.org/"))
    entities.append(MessageEntity("italic", text.index("bold") + 1, 2))
    async with rig() as camp, visit(camp.page) as visited:
        sent = await camp.bot.send_message(OWNER, text, entities=entities)
        shown = visited.page.locator(f"#m{sent.message_id} .text")
        await expect(shown.locator("strong > em")).to_have_text("ol")
        await expect(shown.locator("figure pre code")).to_have_text("pre1\npre2")
        await expect(shown.locator("blockquote")).to_have_class("folded")
        await shown.get_by_role("button", name="Show more").click()
        await expect(shown.locator("blockquote")).to_have_class("")
        await expect(shown.locator("a")).to_have_attribute("href", "https://example.org/")
        await expect(shown.locator("a")).to_have_attribute("rel", "noopener noreferrer")
        await shown.locator(".spoiler").press("Enter")
        await expect(shown.locator(".spoiler")).to_have_class("spoiler shown")
        await expect(shown.locator(".mention")).to_have_text("@name")
        await shown.get_by_role("button", name="/help").click()
        await camp.state.wait_for(lambda: camp.state.messages[-1].text.plain == "/help")


@scene
async def test_a_line_break_is_typed_with_shift_and_a_reply_is_chosen_by_its_button() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        sent = await camp.bot.send_message(OWNER, "what now?")
        await page.locator(f"#m{sent.message_id}").get_by_role("button", name="Reply").click()
        await expect(page.locator("#replying-to")).to_have_text("what now?")
        await page.keyboard.type("one")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("two")
        await page.keyboard.press("Enter")
        said = await camp.state.wait_for(lambda: camp.state.messages[1:])
        assert said[0].text.plain == "one\ntwo"
        assert said[0].reply
        assert said[0].reply.message_id == sent.message_id
        await expect(page.locator("#replying")).to_be_hidden()
        await expect(page.get_by_role("textbox")).to_have_value("")


@scene
async def test_words_that_are_marked_are_quoted_in_the_reply() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        sent = await camp.bot.send_message(OWNER, "the ford is deep today")
        shown = page.locator(f"#m{sent.message_id}")
        await shown.locator(".text").evaluate(
            "(it) => getSelection().setBaseAndExtent(it.firstChild, 4, it.firstChild, 16)"
        )
        await shown.get_by_role("button", name="Reply").click()
        await expect(page.locator("#replying-to")).to_have_text("“ford is deep”")
        await page.keyboard.type("how deep?")
        await page.keyboard.press("Enter")
        said = await camp.state.wait_for(lambda: camp.state.messages[1:])
        assert said[0].reply
        assert said[0].reply.quote == "ford is deep"
        await expect(page.locator(".mine .quoted")).to_have_text("ford is deep")


@scene
async def test_what_was_said_is_edited_in_place_and_escape_leaves_it() -> None:
    async with rig() as camp, visit(camp.page, NARROW) as visited:
        page = visited.page
        await typed(page, "the fort is deep")
        mine = page.locator("article.mine")
        await mine.get_by_role("button", name="Edit").click()
        await expect(page.get_by_role("textbox")).to_have_value("the fort is deep")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("textbox")).to_have_value("")
        await mine.get_by_role("button", name="Edit").click()
        await expect(page.locator("#replying-to")).to_have_text("Editing: the fort is deep")
        await page.get_by_role("textbox").fill("the ford is deep")
        await page.keyboard.press("Enter")
        await expect(mine.locator(".text")).to_have_text("the ford is deep")
        await expect(mine).to_contain_text("edited")
        await expect(page.locator("#replying")).to_be_hidden()
        updates = await camp.bot.get_updates(timeout=10)
        assert [bool(update.edited_message) for update in updates] == [False, True]


@scene
async def test_a_picture_is_pasted_or_dropped_and_a_reaction_is_seen() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        give = """(target, [kind, bytes]) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], "a.png", { type: "image/png" }));
            const more = kind === "paste" ? { clipboardData: data } : { dataTransfer: data };
            const make = kind === "paste" ? ClipboardEvent : DragEvent;
            target.dispatchEvent(new make(kind, { ...more, bubbles: true, cancelable: true }));
        }"""
        for kind, count in (("paste", 1), ("drop", 2)):
            await page.get_by_role("textbox").evaluate(give, [kind, list(PNG)])
            await expect(page.locator("img.photo")).to_have_count(count)
        await camp.bot.set_message_reaction(OWNER, camp.state.messages[0].id, "👀")
        await expect(page.locator(".reaction")).to_have_text("👀")
        await camp.bot.delete_message(OWNER, camp.state.messages[0].id)
        await expect(page.locator("img.photo")).to_have_count(1)


@scene
async def test_whatever_a_person_sends_is_named() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        camp.state.say("ave", forwarded_from="Livia")
        camp.state.send_venue("The ford", "Rhenus", 47.5, 7.6)
        camp.state.send_contact("Livia", "+41 1")
        camp.state.send_file(Upload("song.mp3", b"a", "audio/mpeg"), kind="audio")
        camp.state.send_file(Upload("a.mp4", b"a", "video/mp4"), kind="video_note")
        for words in (
            "Forwarded from Livia",
            "📍 The ford 47.5, 7.6",
            "☎ Livia +41 1",
            "song.mp3",
            "Video message",
        ):
            await expect(visited.page.get_by_text(words)).to_be_visible()


@scene
async def test_what_people_and_bots_write_is_never_run() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        for sample in XSS:
            camp.state.say(sample)
            buttons = InlineKeyboardMarkup([[InlineKeyboardButton(sample, callback_data="a")]])
            await camp.bot.send_document(OWNER, b"a", filename=sample, caption=sample, reply_markup=buttons)
            await camp.bot.send_message_draft(OWNER, 1, sample)
        page = visited.page
        await expect(page.locator("article:not(.draft)")).to_have_count(2 * len(XSS))
        for sample in XSS:
            await expect(page.get_by_text(sample, exact=True).first).to_be_visible()
        assert await page.locator(".log :is(img, script, svg, iframe)").count() == 0


@scene
async def test_files_go_in_and_out() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        await page.get_by_role("textbox").fill("the plan")
        picture = FilePayload(name="a.png", mimeType="image/png", buffer=PNG)
        async with page.expect_request("**/chat/upload") as sent:
            await page.get_by_label("Send files").set_input_files(picture)
        assert (await sent.value).headers["x-legio-token"] == PROOF
        await expect(page.locator("img.photo")).to_have_js_property("naturalWidth", 1)
        assert camp.state.messages[0].text.plain == "the plan"
        await camp.bot.send_document(OWNER, b"all of Gaul", filename="gallia.md")
        async with page.expect_download() as download:
            await page.get_by_text("gallia.md").click()
        kept = await download.value
        assert kept.suggested_filename == "gallia.md"
        assert (await kept.path()).read_bytes() == b"all of Gaul"


@scene
async def test_typing_and_drafts_are_shown_until_the_message_comes() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        await expect(page.locator("#status")).to_have_text("bot")
        await camp.bot.send_chat_action(OWNER, "typing")
        await expect(page.locator("#status")).to_have_text("typing")
        await camp.bot.send_message_draft(OWNER, 1, "")
        await expect(page.locator(".draft")).to_have_text("Thinking…")
        await camp.bot.send_message_draft(OWNER, 1, "so far")
        await expect(page.locator(".draft")).to_have_text("so far")
        await camp.bot.send_message(OWNER, "all of it")
        await expect(page.locator(".draft")).to_have_count(0)
        await expect(page.locator("#status")).to_have_text("bot")


async def _distance_from_the_end(page: Page) -> float:
    return float(await page.locator("#log").evaluate("(l) => l.scrollHeight - l.scrollTop - l.clientHeight"))


@scene
async def test_the_end_stays_in_sight_unless_one_reads_further_up() -> None:
    async with rig() as camp, visit(camp.page, NARROW) as visited:
        page = visited.page
        for number in range(30):
            camp.state.say(f"line {number}")
        await expect(page.get_by_text("line 29")).to_be_in_viewport()
        await page.locator("#log").hover()
        await page.mouse.wheel(0, -600)
        await expect(page.get_by_text("line 29")).not_to_be_in_viewport()
        before = await page.evaluate("document.getElementById('log').scrollTop")
        camp.state.say("news")
        await expect(page.get_by_text("news")).to_be_attached()
        assert await page.evaluate("document.getElementById('log').scrollTop") == before
        await typed(page, "mine")
        await expect(page.get_by_text("mine")).to_be_in_viewport()
        assert await _distance_from_the_end(page) < 5


@scene
async def test_a_page_left_open_over_an_outage_has_lost_and_doubled_nothing() -> None:
    state = fresh_state()
    async with contextlib.AsyncExitStack() as server:
        url = await server.enter_async_context(chat_page(state))
        async with visit(url) as visited:
            page = visited.page
            state.say("before")
            await expect(page.get_by_text("before")).to_be_visible()
            await server.aclose()
            await expect(page.locator("#status")).to_have_text("connecting…")
            state.say("meanwhile")
            port = httpx.URL(url).port
            assert port
            await server.enter_async_context(chat_page(state, port=port))
            state.say("after")
            await expect(page.get_by_text("after")).to_be_visible()
            assert await page.locator("article .text").all_inner_texts() == ["before", "meanwhile", "after"]


@scene
async def test_a_page_left_open_over_a_restart_begins_anew_by_itself() -> None:
    async with contextlib.AsyncExitStack() as server:
        url = await server.enter_async_context(chat_page(fresh_state()))
        async with visit(url) as visited:
            await expect(visited.page.locator("#status")).to_have_text("bot")
            await server.aclose()
            state = fresh_state()
            state.say("a new life")
            await server.enter_async_context(chat_page(state, port=httpx.URL(url).port or 0))
            await expect(visited.page.get_by_text("a new life")).to_be_visible()


@scene
async def test_what_the_server_refuses_is_said_and_the_text_is_not_lost() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        said = camp.state.say("gone soon")["message"]["message_id"]
        await page.locator(f"#m{said}").get_by_role("button", name="Reply").click()
        del camp.state.chat.messages[said]
        await typed(page, "an answer")
        await expect(page.locator("#toast")).to_contain_text("message to be replied not found")
        await expect(page.get_by_role("textbox")).to_have_value("an answer")
        assert visited.complaints.pop().startswith("Failed to load resource")


@scene
async def test_an_alert_has_to_be_closed() -> None:
    async with rig() as camp, visit(camp.page) as visited:
        page = visited.page
        await camp.bot.send_message(OWNER, "stop?", reply_markup=STOP)
        await page.get_by_role("button", name="Stop").click()
        (update,) = await camp.bot.get_updates(timeout=10)
        assert update.callback_query
        await update.callback_query.answer("It was over already.", show_alert=True)
        await expect(page.get_by_role("dialog")).to_contain_text("It was over already.")
        await page.get_by_role("button", name="OK").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
