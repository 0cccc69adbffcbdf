import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest

from legio.praetorium import open_praetorium
from legio.totp import Authenticator, Verdict, address, new_secret, step_at, step_of
from tests.clocks import FakeClock
from tests.fakes import MemorySettings
from tests.scenes import scene

RFC = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
"""The secret of RFC 6238, appendix B; the codes there are the same ones with two digits more in front."""


def test_the_codes_are_those_of_the_standard() -> None:
    for seconds, code in (
        (59, "287082"),
        (1111111109, "081804"),
        (1234567890, "005924"),
        (20000000000, "353130"),
    ):
        step = step_at(datetime.fromtimestamp(seconds, UTC))
        assert step_of(RFC, code, range(step, step + 1)) == step
        assert step_of(RFC, code, range(step - 1, step + 2)) == step
        assert step_of(RFC, code, range(step + 1, step + 2)) is None


def test_a_secret_is_long_and_never_the_same() -> None:
    secrets = {new_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert {len(secret) for secret in secrets} == {32}


def test_an_authenticator_is_told_whose_secret_it_is() -> None:
    parts = urlsplit(address(RFC))
    assert (parts.scheme, parts.netloc, parts.path) == ("otpauth", "totp", "/Legio:Caesar")
    assert parse_qs(parts.query) == {"secret": [RFC], "issuer": ["Legio"]}


def code(clock: FakeClock, steps: int = 0) -> str:
    return pyotp.TOTP(RFC).at(clock.now(), counter_offset=steps)


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        (-2, Verdict.WRONG),
        (-1, Verdict.RIGHT),
        (0, Verdict.RIGHT),
        (1, Verdict.RIGHT),
        (2, Verdict.WRONG),
    ],
)
@scene
async def test_a_clock_may_differ_by_one_step(steps: int, verdict: Verdict) -> None:
    clock = FakeClock()
    assert await Authenticator(RFC, MemorySettings(), clock).accept(code(clock, steps)) is verdict


@scene
async def test_no_code_and_none_before_it_counts_after_it_not_even_after_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    async with open_praetorium(tmp_path / "praetorium.db", clock) as praetorium:
        assert await Authenticator(RFC, praetorium.settings, clock).accept(code(clock)) is Verdict.RIGHT
    async with open_praetorium(tmp_path / "praetorium.db", clock) as praetorium:
        again = Authenticator(RFC, praetorium.settings, clock)
        found = [await again.accept(code(clock, steps)) for steps in (0, -1, 1)]
    assert found == [Verdict.USED, Verdict.USED, Verdict.RIGHT]


@scene
async def test_of_two_who_bring_one_code_at_once_one_is_let_in() -> None:
    class Slow(MemorySettings):
        async def get(self, name: str) -> str | None:
            value = await super().get(name)
            await asyncio.sleep(0)
            return value

    clock = FakeClock()
    shared = Authenticator(RFC, Slow(), clock)
    verdicts = await asyncio.gather(*(shared.accept(code(clock)) for _ in range(5)))
    assert verdicts.count(Verdict.RIGHT) == 1
    assert verdicts.count(Verdict.USED) == 4


@pytest.mark.parametrize("nonsense", ["", "12345", "1234567", "１２３４５６", "abc def", "\x00"])
@scene
async def test_what_is_no_code_is_wrong_and_breaks_nothing(nonsense: str) -> None:
    clock = FakeClock()
    authenticator = Authenticator(RFC, MemorySettings(), clock)
    assert await authenticator.accept(nonsense) is Verdict.WRONG
    assert not authenticator.knows(nonsense, clock.now())


@scene
async def test_what_lately_was_a_code_is_known_as_one_used_or_not() -> None:
    clock = FakeClock()
    authenticator = Authenticator(RFC, MemorySettings(), clock)
    given = code(clock)
    await authenticator.accept(given)
    assert authenticator.knows(given, clock.now() + timedelta(minutes=5))
    assert not authenticator.knows(given, clock.now() + timedelta(minutes=6))
