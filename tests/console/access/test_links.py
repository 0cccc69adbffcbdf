"""The one-time link: good once, for ten minutes, and nothing of it kept but a hash."""

import asyncio
import re

import pytest

from legio.console.access.links import GOOD_FOR, SETTING, Links
from tests.clocks import FakeClock
from tests.fakes import MemorySettings
from tests.scenes import scene

BASE = "http://127.0.0.1:8471"


def token(link: str) -> str:
    return link.partition("#")[2]


@scene
async def test_it_is_good_once_and_no_server_is_told_its_secret() -> None:
    settings = MemorySettings()
    links = Links(settings, FakeClock())
    link = await links.make(BASE)
    assert re.fullmatch(rf"{BASE}/login#[\w-]{{43}}", link)
    assert token(link) not in settings.values[SETTING]
    assert await links.take(token(link))
    assert not await links.take(token(link))
    assert settings.values == {}


@pytest.mark.parametrize(("seconds", "good"), [(0, True), (600, True), (601, False), (86_400, False)])
@scene
async def test_it_is_good_for_ten_minutes(seconds: float, *, good: bool) -> None:
    clock = FakeClock()
    links = Links(MemorySettings(), clock)
    link = await links.make(BASE)
    clock.advance(seconds)
    assert await links.take(token(link)) is good
    assert GOOD_FOR.total_seconds() == 600


@scene
async def test_a_newer_one_takes_its_place_whoever_makes_it() -> None:
    settings, clock = MemorySettings(), FakeClock()
    links, another_process = Links(settings, clock), Links(settings, clock)
    first = await links.make(BASE)
    second = await another_process.make(BASE)
    assert not await links.take(token(first))
    assert await links.take(token(second))


@pytest.mark.parametrize("given", ["", "x", "x" * 43, "x" * 10_000, "\ud800", " "])
@scene
async def test_a_wrong_one_opens_nothing_and_uses_nothing_up(given: str) -> None:
    links = Links(MemorySettings(), FakeClock())
    assert not await links.take(given), "there is none yet"
    link = await links.make(BASE)
    assert not await links.take(given)
    assert not await links.take(token(link) + given if given else token(link)[:-1])
    assert await links.take(token(link))


@scene
async def test_of_two_who_bring_it_at_once_one_is_let_in() -> None:
    class Slow(MemorySettings):
        async def get(self, name: str) -> str | None:
            value = await super().get(name)
            await asyncio.sleep(0)
            return value

    links = Links(Slow(), FakeClock())
    given = token(await links.make(BASE))
    assert sorted(await asyncio.gather(*(links.take(given) for _ in range(3)))) == [False, False, True]
