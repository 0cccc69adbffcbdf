import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from legio.logs import OURS, REDACTED, configure, redacted, redaction

TOKEN = "123456789:" + "AbC-_" * 7
KEY = "a secret & key"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger(OURS)
    before = (root.handlers[:], root.level, ours.level)
    yield
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    ours.setLevel(before[2])
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


@pytest.fixture
def stream() -> io.StringIO:
    stream = io.StringIO()
    configure(json=True, level="info", stream=stream, secrets=[TOKEN, KEY, ""])
    return stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def log() -> Any:
    return structlog.get_logger("legio.somewhere")


def test_an_event_is_one_line_of_json(stream: io.StringIO) -> None:
    structlog.contextvars.bind_contextvars(update=5)
    log().info("turn.ended", agent="vorenus", tokens=7, cost=0.5, detail=None)

    (line,) = lines(stream)

    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "turn.ended",
        "agent": "vorenus",
        "tokens": 7,
        "cost": 0.5,
        "detail": None,
        "update": 5,
        "level": "info",
        "logger": "legio.somewhere",
    }


def test_our_level_is_ours_and_foreign_libraries_start_at_warning(stream: io.StringIO) -> None:
    log().debug("unheard")
    log().info("heard")
    logging.getLogger("httpx").info("POST /bot…")
    logging.getLogger("telegram").warning("retrying in %s s", 5)

    assert [(line["event"], line["logger"]) for line in lines(stream)] == [
        ("heard", "legio.somewhere"),
        ("retrying in 5 s", "telegram"),
    ]


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(KeyError):
        configure(json=True, level="loud", stream=io.StringIO())


def test_a_second_set_up_replaces_the_first(stream: io.StringIO) -> None:
    second = io.StringIO()
    configure(json=True, level="debug", stream=second)
    log().debug("once")

    assert stream.getvalue() == ""
    assert [line["event"] for line in lines(second)] == ["once"]


@pytest.mark.parametrize(
    "text",
    [
        f"token {TOKEN}",
        f"https://api.telegram.org/bot{TOKEN}/getMe",
        "https://127.0.0.1/file/bot1:short/x",
        "other 987654321:" + "Z" * 35,
        "key sk-ant-api03-abc_DEF-123",
        "Authorization: Bearer abc.def",
        "bearer   abc.def",
        f"exactly {KEY}",
        "https://x/?key=a%20secret%20%26%20key",
    ],
)
def test_no_secret_and_nothing_of_its_shape_is_written(text: str) -> None:
    written = redacted(text, [TOKEN, KEY])

    assert REDACTED in written
    assert not any(part in written for part in (TOKEN, KEY, "short", "Z" * 30, "abc", "%20secret"))


def test_what_is_no_secret_stays() -> None:
    event = {"event": "turn.ended at 12:30 by bot7 of 127.0.0.1:8443", "seq": 123456789, "ok": True}

    assert redaction([])(None, "info", dict(event)) == event


def test_a_secret_is_found_wherever_it_hides(stream: io.StringIO) -> None:
    log().info(
        f"event {KEY}",
        nested={"list": [1, {KEY: KEY}], "tuple": (KEY,), "set": {KEY}},
        raw=KEY.encode(),
        error=ValueError(KEY),
        path=Path(f"/run/{KEY}"),
    )

    assert KEY not in stream.getvalue()
    (line,) = lines(stream)
    assert line["event"] == f"event {REDACTED}"
    assert line["nested"] == {
        "list": [1, {REDACTED: REDACTED}],
        "tuple": [REDACTED],
        "set": [REDACTED],
    }
    assert (line["raw"], line["error"]) == (REDACTED, f"ValueError: {REDACTED}")
    assert line["path"] == f"/run/{REDACTED}"


def fail() -> None:
    raise ValueError(f"cannot use {KEY} and {TOKEN}")


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("foreign", [True, False])
def test_an_exceptions_text_is_redacted_too(*, as_json: bool, foreign: bool) -> None:
    stream = Terminal()
    configure(json=as_json, level="info", stream=stream, secrets=[KEY])
    logger: Any = logging.getLogger("uvicorn.error") if foreign else log()

    try:
        fail()
    except ValueError:
        logger.exception("turn.broke")

    assert "ValueError: cannot use " in stream.getvalue()
    assert KEY not in stream.getvalue()
    assert TOKEN not in stream.getvalue()


def test_a_foreign_librarys_arguments_are_redacted(stream: io.StringIO) -> None:
    logging.getLogger("httpx").warning("GET %s failed", f"http://x/bot{TOKEN}/getMe")

    assert lines(stream)[0]["event"] == f"GET http://x/bot{REDACTED}/getMe failed"


def test_what_has_a_secrets_shape_needs_no_list() -> None:
    assert redacted(f"bot token: {TOKEN}") == f"bot token: {REDACTED}"


def test_the_longer_of_two_secrets_is_taken_out_whole() -> None:
    assert redacted("abcdef", ["abc", "abcdef"]) == REDACTED


def test_a_person_on_a_terminal_reads_plain_lines() -> None:
    stream = Terminal()
    configure(json=False, level="info", stream=stream)
    log().warning("telegram.conflict", seconds=30)

    assert "telegram.conflict" in stream.getvalue()
    assert "\x1b[" in stream.getvalue()


def test_lines_to_a_file_hold_no_colours() -> None:
    stream = io.StringIO()
    configure(json=False, level="info", stream=stream)
    log().warning("telegram.conflict", seconds=30)

    assert "seconds=30" in stream.getvalue()
    assert "\x1b[" not in stream.getvalue()
