import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from telegram import Update

from legio.bot.connection import Line
from legio.bot.pairing import (
    ALPHABET,
    CODE_SECONDS,
    TRIES,
    Invitation,
    Pairing,
    Terminal,
    code_in,
    new_code,
    paired,
)
from legio.bot.receiver import Receiver
from legio.clock import SystemClock
from legio.config import TelegramConfig
from legio.errors import LegioError
from legio.local.botapi.message import Person
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from tests.bot.updates import CAESAR, STRANGER, message, private, update, user
from tests.clocks import FakeClock, settled
from tests.scenes import scene, until

CODES = ("AAAA-BBBB-2222", "CCCC-DDDD-3333", "EEEE-FFFF-4444")
WRONG = "ZZZZ-ZZZZ-ZZZZ"


@dataclass
class Shown:
    """A terminal that keeps what it is given."""

    invitations: list[Invitation] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def terminal(self) -> Terminal:
        return Terminal(self.invitations.append, self.words.append)


@contextlib.asynccontextmanager
async def waiting(
    clock: FakeClock, shown: Shown
) -> AsyncIterator[tuple[Pairing, "asyncio.Task[int | None]"]]:
    """A pairing that waits for its code."""
    drawn = iter(CODES)
    pairing = Pairing(clock, shown.terminal, draw=lambda: next(drawn))
    task = asyncio.create_task(pairing.caesar("legio_bot"), name="caesar")
    await settled()
    try:
        yield pairing, task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def said(text: str | None, **more: Any) -> Update:
    return update("message", message(text, **more))


@pytest.mark.parametrize(
    "text", [CODES[0], f"/start {CODES[0]}", f"/start@legio_bot {CODES[0]}", "aaaa bbbb 2222"]
)
@scene
async def test_whoever_sends_the_code_is_caesar(text: str) -> None:
    shown = Shown()
    async with waiting(FakeClock(), shown) as (pairing, task):
        await pairing.put(said("ave"))
        await pairing.put(said(text, sender=STRANGER))
        assert await task == STRANGER
    (invitation,) = shown.invitations
    assert invitation.link == f"https://t.me/legio_bot?start={CODES[0]}"
    assert shown.words == []


@scene
async def test_what_comes_after_the_code_is_left_for_the_legion() -> None:
    async with waiting(FakeClock(), Shown()) as (pairing, task):
        await pairing.put(said(CODES[0]))
        late = asyncio.create_task(pairing.put(said("ave")), name="late")
        await task
        await settled()
        assert not late.done()
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)


@pytest.mark.parametrize(
    "given",
    [
        said(CODES[0], chat={"id": -5, "type": "group", "title": "Forum"}),
        said(CODES[0], chat={"id": -5, "type": "channel", "title": "Forum"}),
        said(CODES[0], chat=private(STRANGER)),
        said(CODES[0], **{"from": user(CAESAR) | {"is_bot": True}}),
        said(CODES[0], forward_origin={"type": "hidden_user", "date": 1, "sender_user_name": "B"}),
        said(CODES[0], via_bot=user(5) | {"is_bot": True}),
        said(CODES[0], sender_chat=private(9)),
        said(None, location={"latitude": 1, "longitude": 2}),
        said(f"/help {CODES[0]}"),
        said(f"{CODES[0]} please"),
        said("/start"),
        said("/start summer"),
        update("edited_message", message(CODES[0])),
        update("message", message(CODES[0]) | {"from": None}),
    ],
)
@scene
async def test_what_no_person_wrote_himself_in_his_private_chat_is_nothing_not_even_a_try(
    given: Update,
) -> None:
    shown = Shown()
    async with waiting(FakeClock(), shown) as (pairing, task):
        for _ in range(TRIES + 1):
            await pairing.put(given)
        await pairing.put("stop")
        await settled()
        assert not task.done()
        await pairing.put(said(CODES[0]))
        assert await task == CAESAR
    assert shown.words == []


@scene
async def test_five_wrong_codes_end_the_pairing_whoever_sent_them() -> None:
    shown = Shown()
    async with waiting(FakeClock(), shown) as (pairing, task):
        for number in range(TRIES):
            await pairing.put(said(f"/start {WRONG}", sender=STRANGER + number))
        assert await task is None
        late = asyncio.create_task(pairing.put(said(CODES[0])), name="late")
        await settled()
        assert not late.done(), "the right code comes too late"
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
    assert shown.words == [f"A wrong code was sent to the bot; tries left: {left}." for left in (4, 3, 2, 1)]


@scene
async def test_a_code_is_good_for_ten_minutes_and_then_there_is_a_fresh_one() -> None:
    shown, clock = Shown(), FakeClock()
    async with waiting(clock, shown) as (pairing, task):
        await clock.run(CODE_SECONDS - 1)
        assert [each.code for each in shown.invitations] == [CODES[0]]
        await clock.run(2)
        assert [each.code for each in shown.invitations] == [*CODES[:2]]
        await pairing.put(said(CODES[0]))
        await settled()
        assert not task.done()
        await pairing.put(said(CODES[1]))
        assert await task == CAESAR
    assert shown.words == ["A wrong code was sent to the bot; tries left: 4."]


@scene
async def test_a_code_is_dead_at_its_minute_even_before_there_is_a_fresh_one() -> None:
    shown, clock = Shown(), FakeClock()
    async with waiting(clock, shown) as (pairing, task):
        clock.advance(CODE_SECONDS)
        await pairing.put(said(CODES[0]))
        await settled()
        assert not task.done()
    assert shown.words == ["A wrong code was sent to the bot; tries left: 4."]


def test_a_code_is_readable_and_never_the_same() -> None:
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(re.fullmatch(f"[{ALPHABET}]{{4}}(-[{ALPHABET}]{{4}}){{2}}", code) for code in codes)
    assert len(ALPHABET) == len(set(ALPHABET)) == 32
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", code) for code in codes), "a link's parameter bears it"


def test_a_code_is_read_as_people_write_it() -> None:
    for text in (CODES[0], CODES[0].lower(), "aaaabbbb-2222", f"  /START {CODES[0]} "):
        written = said(text).message
        assert written is not None
        assert code_in(written) == "AAAABBBB2222"


# --- over the wire --------------------------------------------------------------------------------------


async def silent(_: str) -> None:
    pytest.fail("there was nothing to tell")


@contextlib.asynccontextmanager
async def asked(state: BotApiState, shown: Shown) -> AsyncIterator["asyncio.Task[int]"]:
    """A pairing with the bot of `state`."""
    clock = SystemClock()
    receiver = Receiver(clock, heartbeat=lambda: None, tell=silent)

    async def pair() -> int:
        line = Line(TelegramConfig(base_url=f"{page}/bot"), state.token, clock)
        async with paired(line, receiver, shown.terminal) as caesar_id:
            return caesar_id

    async with bot_api_server(state) as page:
        task = asyncio.create_task(pair(), name="pair")
        await until(lambda: task.done() or shown.invitations, what="the invitation")
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@scene
async def test_nobody_is_answered_and_only_what_was_taken_is_acknowledged() -> None:
    state, shown = BotApiState(token="77:" + "A" * 35, owner_id=CAESAR), Shown()
    for _ in range(TRIES):
        state.say(WRONG)  # of an earlier pairing, perhaps: it counts for nothing
    async with asked(state, shown) as task:
        state.say("who are you?", user=Person(STRANGER, "Stranger"))
        state.updates.hold()
        state.say(f"/start {shown.invitations[0].code}")
        state.say("and now?")
        state.updates.release()
        assert await task == CAESAR
        left = [each["message"]["text"] for each in state.updates.pending]
    assert left == ["and now?"], "what Caesar says next is the legion's"
    assert state.answers == ()
    assert {call.method for call in state.calls} <= {"getMe", "deleteWebhook", "getUpdates"}


@scene
async def test_the_end_after_five_wrong_codes_says_what_to_do() -> None:
    state, shown = BotApiState(token="77:" + "A" * 35, owner_id=CAESAR), Shown()
    async with asked(state, shown) as task:
        for _ in range(TRIES):
            state.say(WRONG)
        with pytest.raises(LegioError, match=r"5 wrong codes were sent.*Start Legio again for a new code"):
            await task
        assert state.updates.pending == [], "they do not count again at the next start"
