"""Who is signed in: hashes on the disk, secrets in the browser alone."""

import json

import pytest
from structlog.testing import capture_logs

from legio.console.access.visits import MOST, SETTING, Visits
from legio.errors import PraetoriumError
from tests.clocks import FakeClock
from tests.fakes import MemorySettings
from tests.scenes import scene

DAY, HOUR = 86_400.0, 3600.0


class Counting(MemorySettings):
    """Counts what is written, and refuses it once the disk is full."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.full = False

    async def put(self, name: str, value: str) -> None:
        if self.full:
            raise PraetoriumError("the disk is full.")
        self.writes += 1
        await super().put(name, value)


class Stand:
    """Visits over settings that count, and those that were told to be over."""

    def __init__(self) -> None:
        self.clock, self.settings, self.over = FakeClock(), Counting(), list[str]()
        self.visits = self.again()

    def again(self) -> Visits:
        return Visits(self.settings, self.clock, self.over.append)

    async def good(self, *cookies: str) -> list[bool]:
        return [await self.visits.of(cookie) is not None for cookie in cookies]


@scene
async def test_nothing_that_is_kept_lets_anybody_in() -> None:
    made = Stand()
    cookie = await made.visits.begin()
    visit = await made.visits.of(cookie)
    assert visit is not None
    written = made.settings.values[SETTING]
    assert visit.key in written
    for secret in (cookie, visit.token):
        assert secret not in written
    assert await made.good(visit.key, visit.token, cookie[:-1], "", "x" * 500, "\ud800") == [False] * 6


@scene
async def test_each_visit_has_a_token_of_its_own_that_stays() -> None:
    made = Stand()
    one, other = await made.visits.begin(), await made.visits.begin()
    tokens = {visit.token for cookie in (one, other) if (visit := await made.visits.of(cookie))}
    made.visits = made.again()
    again = {visit.token for cookie in (one, other) if (visit := await made.visits.of(cookie))}
    assert len(tokens) == 2
    assert again == tokens


@scene
async def test_a_visit_ends_after_thirty_days_without_use_and_after_ninety_in_any_case() -> None:
    made = Stand()
    idle, busy = await made.visits.begin(), await made.visits.begin()
    found = []
    for _ in range(4):
        made.clock.advance(29 * DAY)
        found.append((await made.good(busy))[0])
    assert found == [True, True, True, False]
    assert await made.good(idle) == [False]
    assert len(made.over) == 2
    assert json.loads(made.settings.values[SETTING]) == []


@scene
async def test_a_look_is_noted_once_an_hour() -> None:
    made = Stand()
    cookie = await made.visits.begin()
    for _ in range(100):
        assert await made.good(cookie) == [True]
    assert made.settings.writes == 1
    made.clock.advance(HOUR + 1)
    await made.good(cookie, cookie)
    assert made.settings.writes == 2


@scene
async def test_ended_ones_are_over_also_after_a_restart_and_whoever_waits_is_told() -> None:
    made = Stand()
    one, other, third = [await made.visits.begin() for _ in range(3)]
    visit = await made.visits.of(one)
    assert visit is not None
    await made.visits.end(visit.key)
    await made.visits.end(visit.key)
    assert made.over == [visit.key]
    made.visits = made.again()
    assert await made.good(one, other, third) == [False, True, True]
    await made.visits.end_all()
    assert await made.good(one, other, third) == [False] * 3
    assert len(made.over) == 3


@scene
async def test_only_so_many_browsers_are_signed_in_and_the_one_unseen_for_longest_goes() -> None:
    made = Stand()
    first = await made.visits.begin()
    made.clock.advance(1)
    second = await made.visits.begin()
    for _ in range(MOST - 1):
        made.clock.advance(1)
        await made.visits.begin()
    assert await made.good(first, second) == [False, True]


@scene
async def test_a_full_disk_keeps_nobody_out_and_lets_nobody_in() -> None:
    made = Stand()
    cookie = await made.visits.begin()
    made.settings.full = True
    made.clock.advance(2 * HOUR)
    with capture_logs() as logs:
        assert await made.good(cookie) == [True]
    assert [entry["event"] for entry in logs] == ["console.visits_unwritten"]
    with pytest.raises(PraetoriumError):
        await made.visits.begin()


@pytest.mark.parametrize(
    "written", ["nonsense", "7", '[["a"]]', '[["a", "b", "c"]]', '{"a": 1}', "[[1, 2, 3]]"]
)
@scene
async def test_what_was_changed_by_hand_is_forgotten_and_one_signs_in_again(written: str) -> None:
    made = Stand()
    made.settings.values[SETTING] = written
    with capture_logs() as logs:
        cookie = await made.visits.begin()
    assert await made.good(cookie) == [True]
    assert [entry["event"] for entry in logs] == ["console.visits_unreadable"]
