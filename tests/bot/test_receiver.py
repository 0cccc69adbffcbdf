"""How well Telegram is heard: signs of life, troubles that are said once, and a second reader of the bot."""

import asyncio
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs
from telegram.error import Conflict, InvalidToken, NetworkError, TelegramError

from legio.bot.receiver import ALARM_SECONDS, ALONE, CONFLICT, LULL_SECONDS, SILENCE_SECONDS, Receiver
from legio.errors import PraetoriumError
from tests.clocks import FakeClock
from tests.scenes import scene

DOWN = NetworkError("no route")
OTHER = Conflict("terminated by other getUpdates request")
REVOKED = InvalidToken("Unauthorized")
TROUBLE = ("warning", "telegram.trouble")


class Line:
    """A receiver with what it said to Caesar, under the test's clock."""

    def __init__(self, heartbeat: Callable[[], None] = lambda: None) -> None:
        self.clock = FakeClock()
        self.told: list[str] = []
        self.receiver = Receiver(self.clock, heartbeat=heartbeat, tell=self.tell)

    async def tell(self, text: str) -> None:
        self.told.append(text)

    async def after(self, seconds: float, error: TelegramError | None = None) -> None:
        """So much later Telegram answers well, or with an error."""
        self.clock.advance(seconds)
        await (self.receiver.failed(error) if error else self.receiver.heard())

    @property
    def deaf(self) -> str:
        return self.receiver.reception().deaf


def logged(*errors: tuple[float, TelegramError]) -> list[tuple[str, str]]:
    """Level and event of what is logged of errors, each so many seconds after the one before it."""

    async def all_of_them() -> None:
        line = Line()
        for seconds, error in errors:
            await line.after(seconds, error)

    with capture_logs() as logs:
        asyncio.run(all_of_them())
    return [(entry["log_level"], entry["event"]) for entry in logs]


# --- what is logged -------------------------------------------------------------------------------------


def test_a_trouble_is_said_once() -> None:
    assert logged(*[(30, DOWN)] * 5) == [TROUBLE]


def test_another_trouble_is_said_as_well() -> None:
    assert logged((1, DOWN), (1, NetworkError("no name")), (1, DOWN)) == [TROUBLE] * 3


def test_a_trouble_that_comes_back_is_said_anew() -> None:
    assert logged((1, DOWN), (LULL_SECONDS + 1, DOWN)) == [TROUBLE] * 2


def test_a_token_that_is_not_known_any_more_is_an_alarm() -> None:
    assert logged(*[(30, REVOKED)] * 3) == [("error", "telegram.disowned")]


@scene
async def test_that_it_is_heard_again_is_said_after_a_long_silence_alone() -> None:
    line = Line()
    with capture_logs() as logs:
        await line.after(ALARM_SECONDS)
        await line.after(ALARM_SECONDS + 1)
    assert [(entry["event"], entry["after"]) for entry in logs] == [("telegram.heard_again", 31)]


# --- a second reader ------------------------------------------------------------------------------------


@scene
async def test_a_second_reader_that_stays_is_told_once_and_once_when_it_is_gone() -> None:
    line = Line()
    with capture_logs() as logs:
        for _ in range(8):
            await line.after(10, OTHER)
            await line.after(1)  # the two send each other away in turns
        told_first = list(line.told)
        for _ in range(20):
            await line.after(10)
    assert told_first == [CONFLICT]
    assert line.told == [CONFLICT, ALONE]
    events = [entry["event"] for entry in logs]
    assert events == ["telegram.trouble", "telegram.conflict", "telegram.conflict.over"]
    assert line.deaf == ""


@scene
async def test_a_second_reader_that_goes_at_once_is_not_told() -> None:
    line = Line()
    for seconds in (0, ALARM_SECONDS, LULL_SECONDS + 1, ALARM_SECONDS):
        await line.after(seconds, OTHER)
    assert line.told == []


@scene
async def test_when_caesar_cannot_be_told_the_polling_goes_on() -> None:
    line = Line()

    async def refuse(_: str) -> None:
        raise PraetoriumError("the disk is full.")

    line.receiver = Receiver(line.clock, heartbeat=lambda: None, tell=refuse)
    with capture_logs() as logs:
        await line.after(0, OTHER)
        await line.after(ALARM_SECONDS + 1, OTHER)
    assert [entry["event"] for entry in logs] == [
        "telegram.trouble",
        "telegram.conflict",
        "telegram.conflict.untold",
    ]


# --- how the reception is -------------------------------------------------------------------------------


@scene
async def test_silence_is_counted_since_the_last_good_answer() -> None:
    line = Line()
    await line.after(1)
    await line.after(5, DOWN)
    reception = line.receiver.reception()
    assert (reception.silent_seconds, reception.troubles, reception.deaf) == (5, 1, "")
    line.clock.advance(SILENCE_SECONDS)
    assert line.deaf == "Telegram has been in trouble for 60 s (NetworkError: no route)."


@scene
async def test_a_silence_without_any_error_is_a_bad_sign_too() -> None:
    line = Line()
    await line.after(0)
    line.clock.advance(SILENCE_SECONDS)
    assert line.deaf == ""
    line.clock.advance(1)
    assert line.deaf == "Nothing was heard from Telegram for 61 s."


@pytest.mark.parametrize(
    ("error", "deaf"),
    [
        (REVOKED, "Telegram does not know the bot's token any more: was it revoked?"),
        (OTHER, "Another program reads this bot's messages: stop it, or revoke its token."),
        (DOWN, "Telegram has been in trouble for 31 s (NetworkError: no route)."),
    ],
)
@scene
async def test_what_keeps_legio_from_hearing_is_named_until_it_is_over(
    error: TelegramError, deaf: str
) -> None:
    line = Line()
    await line.after(0, error)
    await line.after(ALARM_SECONDS + 1, error)
    assert line.deaf == deaf
    await line.after(LULL_SECONDS + 1)
    assert line.deaf == ""


@scene
async def test_restarts_are_counted() -> None:
    line = Line()
    line.receiver.restarted()
    assert line.receiver.reception().restarts == 1


@scene
async def test_each_good_answer_beats_the_heart_and_a_disk_that_refuses_it_stops_nothing() -> None:
    beats: list[None] = []

    def beat() -> None:
        beats.append(None)
        raise OSError("read-only file system")

    line = Line(beat)
    await line.after(1)
    await line.after(1, DOWN)
    await line.after(1)
    assert len(beats) == 2
    assert line.receiver.reception().silent_seconds == 0
