import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pyotp
import pytest
from telegram import Message, Update
from telegram.error import NetworkError
from telegram.ext import ExtBot

from legio.bot.confirming import (
    CODE_SECONDS,
    NOT_ASKED,
    REMOVALS,
    REST_SECONDS,
    CodeIntake,
    Confirming,
)
from legio.decisions import Choice
from legio.errors import PraetoriumError, Refused
from legio.ports import Letter
from legio.praetorium import Praetorium, open_praetorium
from legio.totp import Authenticator
from tests.bot.updates import message, update
from tests.bot.wire import TOKEN, FakeTelegram
from tests.clocks import DAWN, FakeClock, settled
from tests.fakes import NotingMessenger
from tests.scenes import scene

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@dataclass
class Scene:
    """A confirming over a real record, and what was done by it."""

    confirming: Confirming
    praetorium: Praetorium
    telegram: FakeTelegram
    clock: FakeClock
    messenger: NotingMessenger = field(default_factory=NotingMessenger)
    done: list[str] = field(default_factory=list)
    passed: list[Update] = field(default_factory=list)

    def code(self, steps: int = 0) -> str:
        """The code of the running step, or of one before or after it."""
        return pyotp.TOTP(SECRET).at(self.clock.now(), counter_offset=steps)

    @property
    def wrong(self) -> str:
        """A number that is no code around now."""
        near = {self.code(steps) for steps in range(-20, 20)}
        return next(
            number for number in ("000000", "111111", *map(str, range(200000, 200100))) if number not in near
        )

    def ask(self, label: str = "Remove vorenus") -> str:
        async def act() -> str:
            self.done.append(label)
            return f"{label}: done."

        return self.confirming.ask(Choice(label, act, grave=True))

    async def says(self, text: str | None, *, date: float | None = None) -> str | None:
        return await self.confirming.take(self.message(text, date=date))

    def message(self, text: str | None, *, date: float | None = None) -> Message:
        found = self.update(text, date=date).message
        assert found is not None
        return found

    def update(self, text: str | None, *, date: float | None = None, kind: str = "message") -> Update:
        moment = int(self.clock.now().timestamp() if date is None else date)
        more = {"edit_date": moment} if kind == "edited_message" else {}
        return update(kind, message(text, date=moment) | more)

    async def take(self, given: Update) -> None:
        async def then(passed: Update) -> None:
            self.passed.append(passed)

        await self.praetorium.inbox.put(Letter(given.update_id, given.to_json(), self.clock.now()))
        await CodeIntake(self.confirming, self.praetorium.inbox, self.messenger, then).take(given)

    @property
    def removed(self) -> list[object]:
        return [
            call.parameters["message_id"] for call in self.telegram.calls if call.method == "deleteMessage"
        ]


@contextlib.asynccontextmanager
async def set_up(folder: Path, clock: FakeClock | None = None) -> AsyncIterator[Scene]:
    clock, telegram = clock or FakeClock(), FakeTelegram()
    bot: ExtBot[None] = ExtBot(TOKEN, request=telegram, get_updates_request=telegram)
    async with open_praetorium(folder / "praetorium.db", clock) as praetorium:
        confirming = Confirming(Authenticator(SECRET, praetorium.settings, clock), bot, clock)
        task = asyncio.create_task(confirming.run(), name="confirming")
        try:
            yield Scene(confirming, praetorium, telegram, clock)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("drift", [-1, 0, 1])
@scene
async def test_the_code_does_what_the_thumb_wanted_and_leaves_the_chat(tmp_path: Path, drift: int) -> None:
    async with set_up(tmp_path) as made:
        assert made.ask() == "Remove vorenus: write the code of your authenticator within 120 seconds."
        assert made.done == []
        assert await made.says(made.code(drift)) == "Remove vorenus: done."
        await settled()
        assert made.removed == [5]
        assert await made.says(made.code(drift)) == NOT_ASKED, "it was decided once"
    assert made.done == ["Remove vorenus"]


@pytest.mark.parametrize("text", ["{} {}", "  {}{}\n", "it is {}{}."])
@scene
async def test_a_code_is_known_however_it_is_written(tmp_path: Path, text: str) -> None:
    async with set_up(tmp_path) as made:
        made.ask()
        code = made.code()
        assert await made.says(text.format(code[:3], code[3:])) == "Remove vorenus: done."


@pytest.mark.parametrize("drift", [-2, 2])
@scene
async def test_a_clock_may_differ_by_one_step_and_no_more(tmp_path: Path, drift: int) -> None:
    async with set_up(tmp_path) as made:
        made.ask()
        assert await made.says(made.code(drift)) == "That code is wrong. Tries left: 2."
    assert made.done == []


@scene
async def test_three_wrong_codes_end_it_and_then_none_is_asked_for_for_a_while(tmp_path: Path) -> None:
    async with set_up(tmp_path) as made:
        made.ask()
        wrong = made.wrong
        told = [await made.says(wrong) for _ in range(3)]
        assert await made.says(made.code()) == NOT_ASKED
        with pytest.raises(Refused, match=r"3 wrong codes were sent\. Ask again in 301 seconds"):
            made.ask()
        made.clock.advance(REST_SECONDS)
        made.ask()
        assert await made.says(made.code()) == "Remove vorenus: done."
    assert told == [
        "That code is wrong. Tries left: 2.",
        "That code is wrong. Tries left: 1.",
        "That code is wrong. It was the last try: nothing was done.",
    ]
    assert made.done == ["Remove vorenus"]


@scene
async def test_no_code_counts_twice_not_even_after_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    async with set_up(tmp_path, clock) as made:
        made.ask()
        await made.says(made.code())
    async with set_up(tmp_path, clock) as again:
        again.ask("Reset pullo")
        for used in (again.code(), again.code(-1)):
            assert str(await again.says(used)).startswith("That code was used before.")
        assert again.done == []
        assert await again.says(again.code(1)) == "Reset pullo: done."


@scene
async def test_after_two_minutes_it_is_too_late_and_the_code_is_known_all_the_same(tmp_path: Path) -> None:
    async with set_up(tmp_path) as made:
        made.ask()
        made.clock.advance(CODE_SECONDS + 1)
        assert await made.says(made.code()) == NOT_ASKED
        assert await made.says(made.code(-9)) == NOT_ASKED, "he read it off long ago"
        assert await made.says(made.wrong) is None
        await settled()
    assert made.done == []
    assert len(made.removed) == 2


@scene
async def test_one_question_waits_at_a_time_and_the_later_one_says_what_became_of_the_earlier(
    tmp_path: Path,
) -> None:
    async with set_up(tmp_path) as made:
        made.ask()
        assert made.ask("Reset pullo").endswith("(Remove vorenus: given up for this.)")
        assert await made.says(made.code()) == "Reset pullo: done."
    assert made.done == ["Reset pullo"]


@pytest.mark.parametrize("text", [None, "", "ave", "12345", "1234567", "call 1234567 now", "123456 " * 9])
@scene
async def test_what_is_no_code_is_none_of_its_business(tmp_path: Path, text: str | None) -> None:
    async with set_up(tmp_path) as made:
        made.ask()
        assert await made.says(text) is None
        await settled()
    assert made.removed == []


@scene
async def test_a_message_is_removed_as_soon_as_the_network_bears_it(tmp_path: Path) -> None:
    async with set_up(tmp_path) as made:
        made.telegram.script["deleteMessage"].extend([NetworkError("down")] * 2)
        await made.says(made.code())
        await made.clock.run(60)
        assert len(made.removed) == 3
        made.telegram.script["deleteMessage"].append(
            (400, b'{"ok": false, "description": "Bad Request: gone"}')
        )
        await made.says(made.code())
        await made.clock.run(60)
        assert len(made.removed) == 4
        made.telegram.script["deleteMessage"].extend([NetworkError("down")] * REMOVALS)
        await made.says(made.code())
        await made.clock.run(60)
        await made.says(made.code())
        await made.clock.run(60)
    assert len(made.removed) == 4 + REMOVALS + 1, "what cannot be removed does not hold up the next"


# --- the way of an update ---------------------------------------------------------------------------------


@scene
async def test_a_code_goes_no_further_and_leaves_nothing_in_the_inbox(tmp_path: Path) -> None:
    async with set_up(tmp_path) as made:
        made.ask()
        await made.take(made.update(made.code()))
        assert await made.praetorium.inbox.unfinished() == ()
        (notice,) = await made.praetorium.outbox.due()
        rows = await made.praetorium.database.rows("SELECT payload FROM inbox")
    assert [row["payload"] for row in rows] == [""]
    assert json.loads(notice.parcel.payload)["text"] == "Remove vorenus: done."
    assert made.passed == []


@scene
async def test_one_that_a_killed_legio_had_received_is_a_code_at_the_next_start_too(tmp_path: Path) -> None:
    async with set_up(tmp_path) as made:
        sent = made.clock.now()
        code = made.code()
        made.clock.advance(timedelta(hours=3).total_seconds())
        await made.take(made.update(code, date=sent.timestamp()))
        (notice,) = await made.praetorium.outbox.due()
    assert json.loads(notice.parcel.payload)["text"] == NOT_ASKED
    assert made.passed == []


@scene
async def test_an_edit_can_be_a_code_and_all_else_goes_on(tmp_path: Path) -> None:
    async with set_up(tmp_path) as made:
        edited = made.update(
            made.code(), date=(DAWN + timedelta(seconds=5)).timestamp(), kind="edited_message"
        )
        await made.take(edited)
        assert made.passed == []
        other = update("message", message("ave"), number=2)
        await made.take(other)
    assert made.passed == [other]


@scene
async def test_what_cannot_be_done_is_told_and_what_breaks_is_kept_for_the_next_start(tmp_path: Path) -> None:
    async def refuse() -> str:
        raise Refused("there is nobody of that name.")

    async def broken() -> str:
        raise RuntimeError

    async with set_up(tmp_path) as made:
        made.confirming.ask(Choice("Remove vorenus", refuse, grave=True))
        assert await made.says(made.code(-1)) == "there is nobody of that name."
        made.confirming.ask(Choice("Remove vorenus", broken, grave=True))
        await made.take(made.update(made.code()))
        (letter,) = await made.praetorium.inbox.unfinished()
    assert letter.id == 1
    assert made.passed == []


@scene
async def test_a_code_that_cannot_be_marked_as_used_does_nothing(tmp_path: Path) -> None:
    class Full:
        async def get(self, name: str) -> str | None:
            return None

        async def put(self, name: str, value: str) -> None:
            raise PraetoriumError("the disk is full.")

        async def drop(self, name: str) -> None: ...

    async with set_up(tmp_path) as made:
        full = Authenticator(SECRET, Full(), made.clock)
        made.confirming = Confirming(full, made.confirming._bot, made.clock)
        made.ask()
        with pytest.raises(PraetoriumError):
            await made.says(made.code())
    assert made.done == []
