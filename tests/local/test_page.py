import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from telegram.error import RetryAfter

from legio.errors import CastraError
from legio.local.botapi.files import Upload
from legio.local.botapi.message import Person
from legio.local.botapi.state import BotApiState
from legio.local.page import EARLIER, SHOWN, STATIC
from tests.clocks import FakeClock
from tests.local.botapi.rig import OWNER, PEOPLE, PNG, Rig, fresh_state, rig
from tests.local.room import chat_page
from tests.scenes import scene, until

ROOM_BUDGET = 50_000
"""In bytes: a third of what the whole page may have."""


async def asked(camp: Rig, deed: str, **body: Any) -> httpx.Response:
    return await camp.http.post(f"{camp.page}/chat/{deed}", json=body)


class Watcher:
    """A page's event stream, read line by line."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.positions: list[str] = []
        self.lines: list[str] = []

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.events]

    async def read(self, answer: httpx.Response) -> None:
        kind = ""
        async for line in answer.aiter_lines():
            self.lines.append(line)
            name, _, value = line.partition(": ")
            if name == "id":
                self.positions.append(value)
            elif name == "event":
                kind = value
            elif name == "data":
                self.events.append((kind, json.loads(value)))


@contextlib.asynccontextmanager
async def watching(camp: Rig, position: str, **headers: str) -> AsyncIterator[Watcher]:
    watcher = Watcher()
    parameters = {"after": position}
    async with camp.http.stream(
        "GET", f"{camp.page}/chat/events", params=parameters, headers=headers, timeout=20
    ) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        task = asyncio.create_task(watcher.read(answer))
        await until(lambda: watcher.lines, what="the first line")
        try:
            yield watcher
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@scene
async def test_the_room_is_served_with_strict_headers_and_asks_no_other_host() -> None:
    async with rig() as camp:
        for path in ("/chat/static/room.js", "/chat/static/chat.css", "/chat/state"):
            answer = await camp.http.get(camp.page + path)
            assert answer.status_code == 200
            assert answer.headers["content-security-policy"].startswith(
                "default-src 'none'; script-src 'self'"
            )
            assert answer.headers["x-content-type-options"] == "nosniff"
        assert (await camp.http.get(f"{camp.page}/chat/static/%2e%2e/page.py")).status_code == 404
        assert (await camp.http.get(f"{camp.page}/chat/static/..%2fpage.py")).status_code == 404


def test_the_room_is_small_and_builds_no_html_from_text() -> None:
    files = {path.name: path.read_text() for path in STATIC.iterdir()}
    assert sum(len(text.encode()) for text in files.values()) < ROOM_BUDGET
    for name, text in files.items():
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "style=",
        ):
            assert forbidden not in text, name
        outside = text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in outside, name
        assert "https://" not in outside, name


@scene
async def test_another_site_gets_nothing() -> None:
    async with rig() as camp:
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
            answer = await camp.http.post(f"{camp.page}/chat/say", json={"text": "x"}, headers=headers)
            assert answer.status_code == 403
        assert camp.state.messages == ()


@scene
async def test_what_is_said_on_the_page_reaches_the_bot() -> None:
    async with rig() as camp:
        question = (await camp.bot.send_message(OWNER, "what now?")).message_id
        answer = await asked(camp, "say", text="@vorenus go", reply_to=question, quote="now")
        (update,) = await camp.bot.get_updates()
        assert update.message
        assert answer.json() == {"message_ids": [update.message.message_id]}
        assert update.message.text == "@vorenus go"
        assert update.message.reply_to_message
        assert update.message.quote
        assert update.message.quote.text == "now"


@scene
async def test_what_is_too_long_for_one_message_is_cut_and_nothing_is_lost() -> None:
    async with rig() as camp:
        text = "🦅" * 2048 + "b" * 10
        answer = await asked(camp, "say", text=text)
        assert len(answer.json()["message_ids"]) == 2
        assert "".join(message.text.plain for message in camp.state.messages) == text


@scene
async def test_what_cannot_be_done_is_said() -> None:
    async with rig() as camp:
        for words, answer in [
            ("message text is empty", await asked(camp, "say", text=" ")),
            ("message to be replied not found", await asked(camp, "say", text="a", reply_to=1)),
            ("message not found", await asked(camp, "press", message_id=1, data="a")),
            ("there is no file", await asked(camp, "upload")),
            ("trouble is one of flood, ", await asked(camp, "fault", method="getMe", trouble="moon")),
        ]:
            assert answer.status_code == 400
            assert words in answer.json()["error"]
        assert (await asked(camp, "dance")).status_code == 404
        assert (await camp.http.get(f"{camp.page}/chat/say")).status_code == 404


@scene
async def test_an_edit_becomes_an_edited_message_and_only_ones_own_can_be_edited() -> None:
    async with rig() as camp:
        said = camp.state.say("the fort")["message"]["message_id"]
        foreign = (await camp.bot.send_message(OWNER, "ave")).message_id
        assert (await asked(camp, "edit", message_id=said, text="the ford")).json() == {"message_ids": [said]}
        refused = await asked(camp, "edit", message_id=foreign, text="no")
        _, update = await camp.bot.get_updates()
        assert update.edited_message
        assert update.edited_message.text == "the ford"
        assert "can't be edited" in refused.json()["error"]


@scene
async def test_a_press_becomes_a_callback_query() -> None:
    async with rig() as camp:
        message = (await camp.bot.send_message(OWNER, "stop?")).message_id
        pressed = (await asked(camp, "press", message_id=message, data="stop:1")).json()
        (update,) = await camp.bot.get_updates()
        assert update.callback_query
        assert (update.callback_query.id, update.callback_query.data) == (pressed["query"], "stop:1")


@scene
async def test_trouble_can_be_armed_from_the_page() -> None:
    async with rig() as camp:
        answer = await asked(camp, "fault", method="sendMessage", trouble="flood", retry_after=9)
        assert answer.json() == {"armed": 1}
        with pytest.raises(RetryAfter):
            await camp.bot.send_message(OWNER, "hello")


async def uploaded(camp: Rig, files: list[tuple[str, bytes, str]], **fields: str) -> httpx.Response:
    parts = {f"file{index}": file for index, file in enumerate(files)}
    return await camp.http.post(f"{camp.page}/chat/upload", files=parts, data=fields)


@scene
async def test_uploads_arrive_as_what_they_are() -> None:
    async with rig() as camp:
        said = camp.state.say("look")["message"]["message_id"]
        await uploaded(camp, [("a.png", PNG, "image/png")], caption="a dot", reply_to=str(said))
        await uploaded(camp, [("a.png", b"no picture", "image/png")])
        await uploaded(camp, [("a.ogg", b"OggS", "audio/ogg")])
        kinds = [message.media.kind for message in camp.state.messages if message.media]
        assert kinds == ["photo", "document", "voice"]
        assert camp.state.messages[1].text.plain == "a dot"
        assert camp.state.messages[1].reply


@scene
async def test_several_at_once_are_an_album_of_ten_at_most() -> None:
    async with rig() as camp:
        files = [("a.png", PNG, "image/png"), ("b.txt", b"b", "text/plain")]
        answer = await uploaded(camp, files, caption="both")
        assert len(answer.json()["message_ids"]) == 2
        albums = {message.album for message in camp.state.messages}
        assert len(albums) == 1
        assert {message.media.kind for message in camp.state.messages if message.media} == {"document"}
        assert "at most 10 files" in (await uploaded(camp, files * 6)).json()["error"]


@scene
async def test_a_picture_is_shown_and_anything_else_is_saved_and_never_opened() -> None:
    async with rig() as camp:
        page = Upload('evil".html', b"<script>alert(1)</script>", "text/html")
        disguised = Upload("a.png", b"<script>alert(1)</script>", "image/png")
        for upload, kind, disposition in [
            (Upload("a.png", PNG, "image/png"), "image/png", "inline"),
            (page, "application/octet-stream", "attachment; filename*=UTF-8''evil%22.html"),
            (disguised, "application/octet-stream", "attachment; filename*=UTF-8''a.png"),
        ]:
            stored = camp.state.files.add(upload, "document")
            answer = await camp.http.get(f"{camp.page}/chat/file/{stored.id}")
            assert answer.content == upload.data
            assert answer.headers["content-type"] == kind
            assert answer.headers["content-disposition"] == disposition
        assert (await camp.http.get(f"{camp.page}/chat/file/none")).status_code == 404


@scene
async def test_a_page_begins_with_all_that_stands() -> None:
    async with rig() as camp:
        said = camp.state.say("hello")["message"]["message_id"]
        await camp.bot.set_message_reaction(OWNER, said, "👀")
        await camp.bot.send_message_draft(OWNER, 1, "so far")
        state = (await camp.http.get(f"{camp.page}/chat/state")).json()
        assert state["messages"][0] | {"text": "hello", "reactions": ["👀"]} == state["messages"][0]
        assert state["drafts"] == [{"id": 1, "text": "so far", "entities": []}]
        assert state["bot"]["username"] == "legio_bot"
        assert state["position"] == camp.state.events.position


@scene
async def test_of_many_messages_the_newest_come_first_and_the_others_when_they_are_wanted() -> None:
    async with rig() as camp:
        for number in range(SHOWN + EARLIER + 3):
            camp.state.say(f"line {number}")
        shown = (await camp.http.get(f"{camp.page}/chat/state")).json()
        told: list[str] = []
        while shown["more"]:
            before = {"before": shown["messages"][0]["message_id"]}
            shown = (await camp.http.get(f"{camp.page}/chat/earlier", params=before)).json()
            told = [message["text"] for message in shown["messages"]] + told
        refused = await camp.http.get(f"{camp.page}/chat/earlier", params={"before": "soon"})
    assert told == [f"line {number}" for number in range(EARLIER + 3)]
    assert (refused.status_code, refused.json()["error"]) == (400, "Bad Request: invalid before specified")


@scene
async def test_who_can_be_named_is_told_with_what_he_is_for() -> None:
    async with rig() as camp:
        told = (await camp.http.get(f"{camp.page}/chat/people")).json()["people"]
    assert [(it["name"], it["description"]) for it in told[:2]] == [*PEOPLE]
    assert [it["name"] for it in told[2:]] == ["legatus", "all"]


@scene
async def test_a_castra_that_cannot_be_read_is_told_in_its_own_words() -> None:
    def nobody() -> list[tuple[str, str]]:
        raise CastraError("the castra cannot be read.")

    async with chat_page(fresh_state(), nobody) as url, httpx.AsyncClient(trust_env=False) as http:
        answer = await http.get(f"{url}/chat/people")
    assert answer.status_code == 400
    assert "the castra cannot be read." in answer.json()["error"]


@scene
async def test_the_commands_are_those_that_the_bot_has_set() -> None:
    async with rig() as camp:
        before = (await camp.http.get(f"{camp.page}/chat/commands")).json()
        await camp.bot.set_my_commands([("help", "What I can do")])
        after = (await camp.http.get(f"{camp.page}/chat/commands")).json()
    assert before == {"commands": []}
    assert after == {"commands": [{"command": "help", "description": "What I can do"}]}


@scene
async def test_what_is_said_in_a_topic_names_it_and_no_other_place_can_be_named() -> None:
    async with rig() as camp, watching(camp, camp.state.events.position) as watcher:
        camp.state.topics_enabled = True
        topic = (await camp.bot.create_forum_topic(OWNER, "vorenus")).message_thread_id
        state = (await camp.http.get(f"{camp.page}/chat/state")).json()
        said = [
            (await camp.http.post(f"{camp.page}/chat/say", json={"text": "ave", "thread": thread})).json()
            for thread in (topic, 0, topic + 1)
        ]
        camp.state.delete_topic(topic)
        await until(lambda: len(watcher.events) >= 5, what="the events")
        told = [data for _, data in watcher.events]
    assert state["topics"] == {str(topic): "vorenus"}
    assert said[2] == {"error": "Bad Request: message thread not found"}
    assert [it.get("message_thread_id") for it in told[1:3]] == [topic, None]
    assert (told[0], told[3], told[4]) == ({str(topic): "vorenus"}, {"ids": said[0]["message_ids"]}, {})


@scene
async def test_what_happens_in_the_owners_chat_is_told_as_it_happens() -> None:
    async with rig() as camp, watching(camp, camp.state.events.position) as watcher:
        sent = await camp.bot.send_message(OWNER, "one")
        camp.state.say("let me in", user=Person(99, "Brennus"))
        await camp.bot.edit_message_text("two", OWNER, sent.message_id)
        await camp.bot.send_chat_action(OWNER, "typing")
        query = camp.state.press(sent.message_id, "a")["callback_query"]["id"]
        await camp.bot.answer_callback_query(query, "done")
        await camp.bot.delete_message(OWNER, sent.message_id)
        await until(lambda: "deleted" in watcher.kinds, what="the last event")
        assert watcher.kinds == ["message", "message", "action", "answer", "deleted"]
        assert [data.get("text") for _, data in watcher.events] == ["one", "two", None, "done", None]


@scene
async def test_a_page_that_comes_back_misses_nothing_and_sees_nothing_twice() -> None:
    async with rig() as camp:
        async with watching(camp, camp.state.events.position) as early:
            await camp.bot.send_message(OWNER, "one")
            await until(lambda: early.events, what="the first message")
        await camp.bot.send_message(OWNER, "two")
        async with watching(camp, "nonsense", **{"Last-Event-ID": early.positions[-1]}) as late:
            await until(lambda: late.events, what="the second message")
            assert [data["text"] for _, data in late.events] == ["two"]


@scene
async def test_a_page_left_open_over_a_restart_is_told_to_begin_anew() -> None:
    async with rig() as camp, watching(camp, "run-before-5") as watcher:
        await until(lambda: watcher.events, what="the reset")
        assert watcher.kinds == ["reset"]


@scene
async def test_a_silent_stream_is_kept_open() -> None:
    clock = FakeClock()
    async with rig(clock) as camp, watching(camp, camp.state.events.position) as watcher:
        await until(lambda: clock.sleepers, what="the pause")
        clock.advance(15)
        await until(lambda: ": still here" in watcher.lines, what="the heartbeat")


async def _left_with_a_page_open(state: BotApiState) -> None:
    """A server that goes down while a page still follows it; the page hears the end."""
    watcher = Watcher()
    async with (
        httpx.AsyncClient(trust_env=False, verify=False) as client,
        contextlib.AsyncExitStack() as server,
    ):
        url = await server.enter_async_context(chat_page(state))
        address, parameters = f"{url}/chat/events", {"after": state.events.position}
        async with client.stream("GET", address, params=parameters) as answer:
            reading = asyncio.create_task(watcher.read(answer))
            await until(lambda: watcher.lines, what="the first line")
            await server.aclose()
            await reading


@scene
async def test_the_server_goes_down_at_once_with_a_page_open_and_may_come_again() -> None:
    state = fresh_state()
    loop = asyncio.get_running_loop()
    started = loop.time()
    await _left_with_a_page_open(state)
    await _left_with_a_page_open(state)
    assert loop.time() - started < 3
