"""A server that ends, well or badly, and the one after it."""

import shutil
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity

from legio.castra import Castra
from legio.errors import CastraError
from legio.local.botapi.files import FileStore, Upload
from legio.local.botapi.journal import CHAT, FILES, LEAST_BYTES, Journal
from legio.local.botapi.message import Reply
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from legio.local.botapi.updates import KEPT
from tests.clocks import FakeClock
from tests.local.botapi.rig import OWNER, PNG, TOKEN, a_bot
from tests.scenes import scene

NOTES = Upload("notes.txt", b"The ford is deep.", "text/plain")
STOP = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop")]])


def server(folder: Path, clock: FakeClock | None = None, *, least_bytes: int = LEAST_BYTES) -> BotApiState:
    """One more server in this castra, all of them at the same second unless a clock says otherwise."""
    journal = Journal(Castra(folder), least_bytes=least_bytes)
    return BotApiState(token=TOKEN, owner_id=OWNER, clock=clock or FakeClock(), journal=journal)


def lines(folder: Path) -> list[str]:
    return [line for line in (folder / "local" / CHAT).read_text().splitlines() if line]


def standing(state: BotApiState) -> tuple[object, ...]:
    """All that outlives a server."""
    files = {it.media.file_id: state.files.get(it.media.file_id) for it in state.messages if it.media}
    return state.messages, state.chat.topics, state.updates.pending, files


async def a_day(state: BotApiState, bot: Bot) -> None:
    """Something of every kind, from both sides."""
    first = state.say("Look at https://gallia.test, @vorenus")["message"]["message_id"]
    state.say("and there", reply_to=Reply(first, "Look"), forwarded_from="Cicero")
    state.edit(state.say("tow")["message"]["message_id"], "two")
    state.send_file(Upload("ford.png", PNG, "image/png"), kind="photo", caption="the *ford*")
    state.send_album([NOTES, NOTES], kind="document")
    state.send_location(46.9, 7.4)
    taken = await bot.get_updates()
    await bot.get_updates(offset=taken[2].update_id + 1)
    sent = await bot.send_message(OWNER, "bold", entities=[MessageEntity("bold", 0, 4)], reply_markup=STOP)
    await bot.set_message_reaction(OWNER, first, "👀")
    await bot.send_document(OWNER, b"all of it", filename="answer.md")
    await bot.delete_message(OWNER, (await bot.send_message(OWNER, "passing")).message_id)
    await bot.edit_message_text("*bold*", OWNER, sent.message_id, reply_markup=STOP)
    state.press(sent.message_id, "stop")
    state.topics_enabled = True
    for name in ("vorenus", "pullo"):
        await bot.create_forum_topic(OWNER, name)
    state.delete_topic(next(iter(state.chat.topics)))


@scene
async def test_what_stood_stands_again_after_an_end_and_after_a_kill(tmp_path: Path) -> None:
    ended, killed = tmp_path / "ended", tmp_path / "killed"
    state = server(ended)
    async with bot_api_server(state) as url, a_bot(url) as bot:
        await a_day(state, bot)
        shutil.copytree(ended, killed)
        stood = standing(state)
    assert len(state.messages) == 9
    assert len(state.updates.pending) == 6
    for folder in (killed, ended):
        again = server(folder)
        assert standing(again) == stood
        ids = {message.id for message in state.messages}
        assert again.say("new")["message"]["message_id"] > max(*ids, *state.chat.topics)
    assert len(lines(ended)) < len(lines(killed))


@scene
async def test_no_update_id_and_no_path_is_given_twice(tmp_path: Path) -> None:
    before = server(tmp_path)
    first = before.send_file(NOTES)
    before.updates.clear()
    await before.close()
    again = server(tmp_path)
    second = again.send_file(NOTES)
    assert second["update_id"] > first["update_id"]
    paths = [again.files.get(it["message"]["document"]["file_id"]) for it in (first, second)]
    assert [it.path for it in paths if it] == ["documents/file_1.txt", "documents/file_2.txt"]


def test_an_update_that_nobody_took_for_a_day_is_not_kept_for_ever(tmp_path: Path) -> None:
    clock = FakeClock()
    state = server(tmp_path, clock)
    state.say("too late")
    clock.advance(KEPT.total_seconds() - 1)
    assert len(server(tmp_path, clock).updates.pending) == 1
    clock.advance(2)
    assert state.updates.pending == []
    assert Journal(Castra(tmp_path)).read().updates == {}


@scene
async def test_a_torn_line_and_one_of_another_time_cost_themselves_alone(tmp_path: Path) -> None:
    before = server(tmp_path)
    before.say("before")
    with (tmp_path / "local" / CHAT).open("ab") as file:
        file.write(b'\nStands {"message": {"id": 5, "cha')
    before.say("behind")
    with (tmp_path / "local" / CHAT).open("ab") as file:
        file.write(b'\nFolded {}\nGone {"ids": "many"}\n\xff\xfe {}')
    with capture_logs() as logs:
        again = server(tmp_path)
    assert [message.text.plain for message in again.messages] == ["before", "behind"]
    assert [it["event"] for it in logs] == ["chat.line_passed_over"] * 4


@scene
async def test_a_message_stands_whose_file_is_gone(tmp_path: Path) -> None:
    before = server(tmp_path)
    number = before.send_file(NOTES)["message"]["document"]["file_id"]
    (tmp_path / "local" / FILES / number).unlink()
    again = server(tmp_path)
    assert [message.media and message.media.file_id for message in again.messages] == [number]
    assert again.files.get(number) is None


def test_a_file_that_makes_room_is_taken_off_the_disk(tmp_path: Path) -> None:
    journal = Journal(Castra(tmp_path))
    store = FileStore(capacity=len(NOTES.data), note=journal.note)
    first, second = store.add(NOTES, "document"), store.add(NOTES, "document")
    assert [it.name for it in (tmp_path / "local" / FILES).iterdir()] == [second.id]
    assert list(Journal(Castra(tmp_path)).read().files) == [second.id]
    assert first.id != second.id


@scene
async def test_it_is_written_anew_when_it_has_grown_and_stays_as_it_is_where_nothing_changed(
    tmp_path: Path,
) -> None:
    state = server(tmp_path, least_bytes=2000)
    number = state.say("a")["message"]["message_id"]
    for count in range(200):
        state.edit(number, f"{count}")
        state.updates.clear()
    assert (tmp_path / "local" / CHAT).stat().st_size < 5000
    await state.close()
    short = (tmp_path / "local" / CHAT).read_bytes()
    untouched = server(tmp_path)
    (tmp_path / "local" / CHAT).write_bytes(short + b"\n")
    await untouched.close()
    assert (tmp_path / "local" / CHAT).read_bytes() == short + b"\n"
    assert [message.text.plain for message in untouched.messages] == ["199"]


@scene
async def test_a_disk_that_fails_costs_what_was_to_be_kept_and_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "local").write_text("in the way")
    state = server(tmp_path)
    with capture_logs() as logs:
        state.say("one")
        state.send_file(NOTES)
        await state.close()
    assert [it["event"] for it in logs] == ["chat.unkept"]
    assert len(state.messages) == 2


def test_a_journal_that_cannot_be_read_is_said_to_whoever_starts(tmp_path: Path) -> None:
    (tmp_path / "local" / CHAT).mkdir(parents=True)
    with pytest.raises(CastraError, match="cannot be read") as told:
        server(tmp_path)
    assert "move it away" in str(told.value)
