"""Telegram's word on who opened the page: taken once, fresh, unchanged, and about Caesar alone."""

import asyncio
import json
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode

import pytest

from legio.console.access.initdata import (
    EARLY,
    FORGED,
    SETTING,
    STALE,
    STRANGER,
    UNREADABLE,
    USED,
    InitData,
)
from tests.clocks import FakeClock
from tests.console.access.rig import BOT, CAESAR, hash_of, init_data
from tests.fakes import MemorySettings
from tests.scenes import scene


def judge(clock: FakeClock, settings: MemorySettings | None = None, *, caesar_id: int = CAESAR) -> InitData:
    return InitData(settings or MemorySettings(), clock, token=BOT, caesar_id=caesar_id)


def fields(clock: FakeClock) -> dict[str, str]:
    return dict(parse_qsl(init_data(clock)))


@scene
async def test_a_vector_signed_elsewhere_is_taken() -> None:
    # By OpenSSL, as Telegram's manual says: the key is the HMAC of the bot's token under "WebAppData".
    said = (
        "auth_date=1773554400&user=%7B%22id%22%3A77%7D"
        "&hash=9a379e799f48a27999040d84ee6253ba295a2d74d06da458c875740772f6db54"
    )
    clock = FakeClock(datetime.fromtimestamp(1773554400, UTC))
    assert await judge(clock).take(said) == ""


@pytest.mark.parametrize("age", [0, 299, 300, -30])
@scene
async def test_what_is_fresh_is_taken_and_clocks_may_differ_a_little(age: float) -> None:
    clock = FakeClock()
    assert await judge(clock).take(init_data(clock, age=age)) == ""


@pytest.mark.parametrize(("age", "wrong"), [(301, STALE), (86_400, STALE), (-31, EARLY), (-86_400, EARLY)])
@scene
async def test_what_is_older_than_five_minutes_or_from_the_future_is_not(age: float, wrong: str) -> None:
    clock = FakeClock()
    assert await judge(clock).take(init_data(clock, age=age)) == wrong


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("auth_date", "1"),
        ("query_id", "another"),
        ("signature", ""),
        ("user", json.dumps({"id": CAESAR})),
        ("hash", "0" * 64),
        ("hash", ""),
        ("hash", "é" * 64),
        ("added", "field"),
    ],
)
@scene
async def test_each_field_is_signed(name: str, value: str) -> None:
    clock = FakeClock()
    assert await judge(clock).take(urlencode(fields(clock) | {name: value})) == FORGED


@pytest.mark.parametrize("name", ["auth_date", "query_id", "signature", "user", "hash"])
@scene
async def test_no_field_can_be_left_out(name: str) -> None:
    clock = FakeClock()
    left = {key: value for key, value in fields(clock).items() if key != name}
    assert await judge(clock).take(urlencode(left)) == FORGED


@scene
async def test_a_hash_in_capitals_is_another_hash() -> None:
    clock = FakeClock()
    given = fields(clock)
    assert await judge(clock).take(urlencode(given | {"hash": given["hash"].upper()})) == FORGED


@scene
async def test_another_bots_word_counts_for_nothing() -> None:
    clock = FakeClock()
    assert await judge(clock).take(init_data(clock, token="123457:" + "A" * 35)) == FORGED


@pytest.mark.parametrize("user", [CAESAR + 1, str(CAESAR), 77.5, None, -CAESAR])
@scene
async def test_nobody_but_caesar_is_let_in(user: object) -> None:
    clock = FakeClock()
    assert await judge(clock).take(init_data(clock, user=user)) == STRANGER


@pytest.mark.parametrize(
    "given",
    [
        {"auth_date": "soon"},
        {"auth_date": "9" * 30},
        {"auth_date": ""},
        {"user": "Gaius"},
        {"user": "[]"},
        {"user": "{}"},
        {"user": "[" * 2000},
    ],
)
@scene
async def test_what_is_signed_and_makes_no_sense_is_refused(given: dict[str, str]) -> None:
    clock = FakeClock()
    signed = {name: value for name, value in fields(clock).items() if name != "hash"} | given
    assert await judge(clock).take(urlencode(signed | {"hash": hash_of(signed)})) == UNREADABLE


@scene
async def test_without_a_user_there_is_nobody() -> None:
    clock = FakeClock()
    signed = {"auth_date": fields(clock)["auth_date"]}
    assert await judge(clock).take(urlencode(signed | {"hash": hash_of(signed)})) == UNREADABLE


@scene
async def test_what_is_no_list_of_fields_is_refused() -> None:
    clock = FakeClock()
    said = init_data(clock)
    for raw in ("", "hash", "&&", said + "&user=%7B%22id%22%3A77%7D", said + "&a=1" * 60, "a=" + "x" * 9000):
        assert await judge(clock).take(raw) == UNREADABLE


@scene
async def test_it_counts_once_however_it_is_written_also_after_a_restart() -> None:
    clock, settings = FakeClock(), MemorySettings()
    said = init_data(clock)
    assert await judge(clock, settings).take(said) == ""
    backwards = urlencode(list(reversed(parse_qsl(said))))
    for raw in (said, backwards):
        assert await judge(clock, settings).take(raw) == USED
    clock.advance(299)
    assert await judge(clock, settings).take(said) == USED
    assert len(json.loads(settings.values[SETTING])) == 1
    clock.advance(60)
    assert await judge(clock, settings).take(said) == STALE
    assert await judge(clock, settings).take(init_data(clock)) == ""
    assert len(json.loads(settings.values[SETTING])) == 1, "what is too old anyway is not kept"


@scene
async def test_of_two_who_bring_the_same_at_once_one_is_let_in() -> None:
    class Slow(MemorySettings):
        async def get(self, name: str) -> str | None:
            value = await super().get(name)
            await asyncio.sleep(0)
            return value

    clock = FakeClock()
    shared, said = judge(clock, Slow()), init_data(clock)
    assert sorted(await asyncio.gather(*(shared.take(said) for _ in range(3)))) == ["", USED, USED]


@pytest.mark.parametrize("written", ["nonsense", "[]", '{"a": null}', '{"a": "x"}'])
@scene
async def test_a_memory_that_was_changed_by_hand_keeps_nobody_out(written: str) -> None:
    clock, settings = FakeClock(), MemorySettings()
    settings.values[SETTING] = written
    assert await judge(clock, settings).take(init_data(clock)) == ""
