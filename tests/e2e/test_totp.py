"""What cannot be taken back, with an authenticator: thumb and code, and the code nowhere else."""

import json
import re
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pyotp
import pytest
import structlog

from legio.bot.confirming import NOT_ASKED
from legio.clock import SystemClock
from legio.local.botapi.message import Message
from tests.e2e.world import SECONDS, World, speaker, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


class Noon(SystemClock):
    """A clock on which the hour stands still, so that no step ends in the middle of a scene."""

    def __init__(self) -> None:
        self._now = super().now()

    def now(self) -> datetime:
        return self._now


def code(clock: Noon, steps: int) -> str:
    return pyotp.TOTP(SECRET).at(clock.now(), counter_offset=steps)


def a_wrong_one(clock: Noon) -> str:
    near = {code(clock, steps) for steps in range(-30, 30)}
    return next(number for number in map(str, range(734_150, 734_250)) if number not in near)


async def echoed(made: World, word: str) -> None:
    """The Legatus is asked to say the word, and says it."""
    made.telegram.say(f"echo {word}")
    await until(
        lambda: any(
            speaker(message) and message.text.plain.endswith(word) for message in made.telegram.answers
        ),
        deadline=SECONDS,
        what=f"the echo of {word}",
    )


async def confirmed(made: World, question: str, label: str, given: str) -> tuple[Message, str]:
    """A grave command, its button, and a code: the card then, and what the code led to."""
    (card,) = await made.ask(question)
    card = await made.press(card, label)
    (outcome,) = await made.ask(given)
    await until(
        lambda: all(message.text.plain != given for message in made.telegram.messages),
        deadline=SECONDS,
        what="the removal",
    )
    return card, outcome.text.plain


@scene(deadline=90)
async def test_a_grave_command_wants_a_code_after_the_button_and_no_code_leaves_a_trace(
    tmp_path: Path,
) -> None:
    noon = Noon()
    used, wrong = [code(noon, steps) for steps in (-1, 0, 1)], a_wrong_one(noon)
    with structlog.testing.capture_logs() as logs:
        async with world(tmp_path) as made:
            made.totp_secret, made.clock, made.telegram.clock = SECRET, noon, noon
            async with made.legio():
                card, failed = await confirmed(made, "/remove vorenus", "Remove vorenus", wrong)
                (removed,) = await made.ask(used[1])
                (listed,) = await made.ask("/list")
                _, replayed = await confirmed(made, "/reset pullo", "Reset pullo", used[1])
                (late,) = await made.ask(used[0])
            async with made.legio():
                (unasked,) = await made.ask(used[0])
                _, again = await confirmed(made, "/reset pullo", "Reset pullo", used[1])
                (reset,) = await made.ask(used[2])
                await echoed(made, "well")
            with closing(sqlite3.connect(made.castra.database)) as connection:
                record = "\n".join(connection.iterdump())
            said = json.dumps([request.body for request in made.model.requests])

    assert card.text.plain.endswith(
        "→ Remove vorenus: write the code of your authenticator within 120 seconds."
    )
    assert failed == "That code is wrong. Tries left: 2."
    assert removed.text.plain.startswith("vorenus has been removed.")
    assert "vorenus" not in listed.text.plain
    assert replayed == again == "That code was used before. Wait for the next one. Tries left: 2."
    assert late.text.plain.startswith("That code was used before.")
    assert unasked.text.plain == NOT_ASKED
    assert reset.text.plain == "pullo is being reset."
    # On its own, that is: digits in the middle of an id or a moment are no code.
    traces = re.compile(rf"(?<![\w.-])({'|'.join((*used, wrong))})(?![\w.-])")
    assert [traces.search(text) for text in (record, said, str(logs))] == [None, None, None]


@scene(deadline=60)
async def test_without_a_secret_the_thumb_alone_decides_and_a_number_is_a_number(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        (card,) = await made.ask("/remove vorenus")
        card = await made.press(card, "Remove vorenus")
        await echoed(made, code(Noon(), 0))
    assert "→ vorenus has been removed." in card.text.plain
