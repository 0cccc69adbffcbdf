"""How one message is sent, and what each failure means."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from telegram.error import RetryAfter, TelegramError

from legio.bot.payload import DocumentMessage, FileMessage, Message, TextMessage, encode
from legio.bot.piece import TEXT_UNITS, Entity
from legio.bot.sending import (
    DUPLICATE,
    PATIENCE,
    Delivered,
    Outcome,
    Postponed,
    Undeliverable,
    deliver,
    seconds_asked,
)
from legio.ports import Button, Dispatch, Parcel
from tests.bot.wire import TOKEN, Answer, FakeTelegram, bot_on, broken, flooded, refused
from tests.scenes import scene

BOLD = TextMessage("Ave", (Entity("bold", 0, 3),), reply_to=5)


async def sent(
    telegram: FakeTelegram, message: Message | str, *, tries: int = 0, doubtful: bool = False
) -> Outcome:
    payload = message if isinstance(message, str) else encode(message)
    return await deliver(bot_on(telegram), Dispatch(1, Parcel(9, payload), tries, doubtful))


async def after(reply: Answer | BaseException, *, tries: int = 0) -> Outcome:
    """What becomes of a plain message when Telegram says this."""
    telegram = FakeTelegram()
    telegram.script["sendMessage"].append(reply)
    return await sent(telegram, TextMessage("Ave"), tries=tries)


def parameters(telegram: FakeTelegram) -> list[dict[str, Any]]:
    return [dict(call.parameters) for call in telegram.calls]


@scene
async def test_a_text_is_sent_with_all_that_belongs_to_it() -> None:
    telegram = FakeTelegram()
    message = TextMessage(
        "Ave 1",
        (Entity("pre", 0, 3, language="py"), Entity("text_link", 4, 1, url="http://e.org")),
        reply_to=5,
        buttons=((Button("Yes", "y"), Button("No", "n")),),
        silent=True,
    )
    assert await sent(telegram, message) == Delivered(101)
    assert parameters(telegram) == [
        {
            "chat_id": 9,
            "text": "Ave 1",
            "entities": [
                {"type": "pre", "offset": 0, "length": 3, "language": "py"},
                {"type": "text_link", "offset": 4, "length": 1, "url": "http://e.org"},
            ],
            "disable_notification": True,
            "link_preview_options": {"is_disabled": True},
            "reply_parameters": {"message_id": 5, "allow_sending_without_reply": True},
            "reply_markup": {
                "inline_keyboard": [
                    [{"text": "Yes", "callback_data": "y"}, {"text": "No", "callback_data": "n"}]
                ]
            },
        }
    ]


@scene
async def test_a_document_is_sent_as_a_file() -> None:
    telegram = FakeTelegram()
    assert await sent(telegram, DocumentMessage("a.md", "# Ave 😀", "whole", 5)) == Delivered(101)
    (call,) = telegram.calls
    assert call.method == "sendDocument"
    assert call.parameters["caption"] == "whole"


@scene
async def test_what_replies_to_a_message_that_is_gone_is_sent_without_reply() -> None:
    telegram = FakeTelegram()
    telegram.script["sendMessage"].append(refused(400, "Bad Request: message to be replied not found"))
    assert await sent(telegram, BOLD) == Delivered(101)
    assert ["reply_parameters" in it for it in parameters(telegram)] == [True, False]
    assert ["entities" in it for it in parameters(telegram)] == [True, True]


@pytest.mark.parametrize("gone", ["message thread not found", "TOPIC_DELETED"])
@scene
async def test_what_is_meant_for_a_topic_that_is_gone_is_sent_to_the_chat_and_says_so(gone: str) -> None:
    for method, message in (
        ("sendMessage", TextMessage("Ave", thread=5)),
        ("sendDocument", DocumentMessage("a.md", "x", thread=5)),
    ):
        telegram = FakeTelegram()
        telegram.script[method].append(refused(400, f"Bad Request: {gone}"))
        assert await sent(telegram, message) == Delivered(101, astray=5)
        assert [it.get("message_thread_id") for it in parameters(telegram)] == [5, None]


@scene
async def test_what_has_entities_that_are_refused_is_sent_as_plain_text() -> None:
    telegram = FakeTelegram()
    telegram.script["sendMessage"].append(refused(400, "Bad Request: can't parse entities: unknown type"))
    assert await sent(telegram, BOLD) == Delivered(101)
    assert [(it["text"], "entities" in it) for it in parameters(telegram)] == [("Ave", True), ("Ave", False)]


@scene
async def test_a_refusal_of_what_the_message_does_not_have_ends_it() -> None:
    outcome = await after(refused(400, "Bad Request: can't parse entities"))
    assert outcome == Undeliverable("Can't parse entities")


@scene
async def test_a_doubtful_message_is_marked_and_its_entities_move() -> None:
    telegram = FakeTelegram()
    await sent(telegram, BOLD, doubtful=True)
    (only,) = parameters(telegram)
    assert only["text"] == f"{DUPLICATE}\nAve"
    (bold,) = only["entities"]
    assert only["text"].encode("utf-16-le")[2 * bold["offset"] :].decode("utf-16-le") == "Ave"


@scene
async def test_a_full_message_has_its_mark_before_it() -> None:
    telegram = FakeTelegram()
    full = TextMessage("x" * TEXT_UNITS, reply_to=5, thread=6)
    assert await sent(telegram, full, doubtful=True) == Delivered(102)
    assert [it["message_thread_id"] for it in parameters(telegram)] == [6, 6]
    assert telegram.texts == [DUPLICATE, "x" * TEXT_UNITS]


@scene
async def test_a_doubtful_document_is_marked_in_its_caption() -> None:
    telegram = FakeTelegram()
    await sent(telegram, DocumentMessage("a.md", "x"), doubtful=True)
    await sent(telegram, DocumentMessage("a.md", "x", "whole"), doubtful=True)
    assert [it["caption"] for it in parameters(telegram)] == [DUPLICATE, f"{DUPLICATE}\nwhole"]


@scene
async def test_a_row_that_makes_no_sense_is_undeliverable() -> None:
    outcome = await sent(FakeTelegram(), "nonsense")
    assert isinstance(outcome, Undeliverable)
    assert "cannot be read" in outcome.error


@scene
async def test_a_flood_is_waited_for_as_long_as_telegram_says() -> None:
    outcome = await after(flooded(31))
    assert isinstance(outcome, Postponed)
    assert (outcome.seconds, outcome.doubtful, outcome.urgent) == (31.0, False, False)


@pytest.mark.parametrize(
    "reply",
    [
        refused(403, "Forbidden: bot was blocked by the user"),
        refused(400, "Bad Request: chat not found"),
        refused(400, "Bad Request: message is too long"),
        refused(400, "Bad Request: group chat was upgraded", migrate_to_chat_id=-100),
    ],
)
@scene
async def test_what_telegram_will_never_take_is_undeliverable(reply: Answer) -> None:
    assert isinstance(await after(reply), Undeliverable)


@scene
async def test_a_refused_token_keeps_the_message_and_calls_for_a_person() -> None:
    outcome = await after(refused(401, "Unauthorized"))
    assert isinstance(outcome, Postponed)
    assert (outcome.urgent, outcome.doubtful) == (True, False)


@pytest.mark.parametrize(
    ("reply", "doubtful"),
    [
        (broken(httpx.ConnectError("x")), False),
        (broken(httpx.ConnectTimeout("x")), False),
        (broken(httpx.PoolTimeout("x")), False),
        (broken(httpx.ReadTimeout("x")), True),
        (broken(httpx.WriteError("x")), True),
        (broken(httpx.RemoteProtocolError("x")), True),
        (ValueError("a bug in the transport"), True),
        (refused(500, "Internal Server Error"), False),
        (refused(503, "Service Unavailable"), False),
        (refused(502, "Bad Gateway"), True),
        ((502, b"<html>"), True),
        ((504, b"<html>"), True),
        ((500, b"<html>"), False),
        ((200, b"<html>"), True),
        (refused(409, "Conflict"), True),
    ],
)
@scene
async def test_only_what_may_have_been_taken_is_doubtful(
    reply: Answer | BaseException, *, doubtful: bool
) -> None:
    outcome = await after(reply)
    assert isinstance(outcome, Postponed)
    assert (outcome.doubtful, outcome.seconds) == (doubtful, None)


@pytest.mark.parametrize(
    ("tries", "kind"), [(0, Postponed), (PATIENCE - 1, Postponed), (PATIENCE, Undeliverable)]
)
@scene
async def test_an_error_that_nobody_foresaw_ends_the_message_after_some_tries(
    tries: int, kind: type[Outcome]
) -> None:
    unheard_of = 200, json.dumps({"ok": True, "result": {"message_id": "x", "chat": 7}}).encode()
    assert isinstance(await after(unheard_of, tries=tries), kind)


@scene
async def test_the_token_is_never_told() -> None:
    outcome = await after(TelegramError(f"no /bot{TOKEN}/sendMessage"))
    assert outcome == Postponed("no /bot…/sendMessage", doubtful=True)


def test_the_wait_is_read_as_a_number_or_as_a_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seconds_asked(RetryAfter(3)) == 3.0
    monkeypatch.setenv("PTB_TIMEDELTA", "false")
    with pytest.warns(DeprecationWarning, match="retry_after"):
        assert seconds_asked(RetryAfter(3)) == 3.0


FILE = FileMessage("attachments/d/1-a.png", "a.png", "⚔️ pullo", picture=True, reply_to=5)


async def carried(
    folder: Path, telegram: FakeTelegram, message: FileMessage, *, doubtful: bool = False
) -> Outcome:
    """What becomes of a file that lies in the castra at `folder`."""
    path = folder / message.path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"drawn")
    dispatch = Dispatch(1, Parcel(9, encode(message)), 0, doubtful)
    return await deliver(bot_on(telegram), dispatch, folder)


@scene
async def test_a_picture_of_the_castra_is_sent_as_one(tmp_path: Path) -> None:
    telegram = FakeTelegram()
    assert isinstance(await carried(tmp_path, telegram, FILE, doubtful=True), Delivered)
    (call,) = telegram.calls
    assert call.method == "sendPhoto"
    assert call.parameters["caption"] == f"{DUPLICATE}\n⚔️ pullo"
    assert call.parameters["reply_parameters"]["message_id"] == 5


@scene
async def test_a_picture_that_telegram_does_not_take_is_sent_as_a_document(tmp_path: Path) -> None:
    telegram = FakeTelegram()
    telegram.script["sendPhoto"].append(refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"))
    assert isinstance(await carried(tmp_path, telegram, FILE), Delivered)
    assert [call.method for call in telegram.calls] == ["sendPhoto", "sendDocument"]


@scene
async def test_a_document_that_is_refused_is_undeliverable(tmp_path: Path) -> None:
    telegram = FakeTelegram()
    telegram.script["sendDocument"].append(refused(400, "Bad Request: chat not found"))
    assert isinstance(await carried(tmp_path, telegram, replace(FILE, picture=False)), Undeliverable)


@scene
async def test_a_file_that_is_gone_is_undeliverable_and_says_which() -> None:
    outcome = await sent(FakeTelegram(), FILE)
    assert isinstance(outcome, Undeliverable)
    assert "attachments/d/1-a.png" in outcome.error
