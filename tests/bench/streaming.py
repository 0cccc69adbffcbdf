"""All centuriones write long answers at once, on a server that enforces Telegram's limits: how often it is
written to, whether it has to say 429, and whether anything is changed once it is said.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from legio.bot.pace import BURST, PER_SECOND
from legio.local.botapi.faults import FloodLimit
from legio.local.botapi.state import Call
from legio.local.model import Answer
from tests.bench.camp import PATIENCE_SECONDS, Bot, Camp
from tests.bench.report import Figure
from tests.rollcalls import is_roll_call

MINUTE = 60.0
WRITES = ("sendMessage", "sendDocument", "sendPhoto", "editMessageText", "sendMessageDraft")
"""What counts against the limit of a chat."""
MOST_A_MINUTE = int(BURST + MINUTE * PER_SECOND)
GRACE_SECONDS = 3.0
"""After the last answer, for what should not come."""
PIECES = 24
"""Characters of an answer that come at once."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """What the chat was written: most in any minute, how many 429, and edits when all was said.

    Of those, each roll-call's one fold does not count.
    """

    names: int
    most_a_minute: int
    edits: int
    floods: int
    late: int


async def streaming(camp: Camp, legio: Bot, names: tuple[str, ...], *, seconds: float) -> Streamed:
    """Have each of them write for so long; the server enforces its limits meanwhile."""
    await asyncio.sleep(BURST / PER_SECOND)  # what was written before is not what is measured
    telegram = legio.telegram
    telegram.flood = FloodLimit(telegram.clock)
    began, refused = telegram.clock.monotonic(), len(telegram.refused)
    pieces = 40
    text = " ".join(["words"] * (pieces * PIECES // len("words ")))
    for _ in names:
        camp.model.script_next(Answer(f"{text} streamed", pace=seconds / pieces))
    mentions = " ".join(f"@{name}" for name in names)
    try:
        await legio.answers(f"{mentions} streamed", count=len(names), within=seconds + PATIENCE_SECONDS)
        await asyncio.sleep(GRACE_SECONDS)
    finally:
        telegram.flood = None
    calls = [call for call in telegram.calls if call.at >= began and call.method in WRITES]
    return Streamed(
        len(names),
        most_in(MINUTE, [call.at for call in calls]),
        sum(call.method == "editMessageText" for call in calls),
        sum(it.code == 429 for it in list(telegram.refused)[refused:]),
        late_edits(calls),
    )


def streaming_figures(seen: Streamed) -> list[Figure]:
    """The three bounds of a chat that is written to by all at once."""
    return [
        Figure(
            f"messages and edits in a minute, {seen.names} streaming at once",
            f"at most {MOST_A_MINUTE}",
            f"{seen.most_a_minute}, of them {seen.edits} edits",
            seen.most_a_minute <= MOST_A_MINUTE,
        ),
        Figure("429 from the server that enforces its limits", "0", str(seen.floods), seen.floods == 0),
        Figure("edits after the last answer, beside the fold", "0", str(seen.late), seen.late == 0),
    ]


def most_in(seconds: float, times: Sequence[float]) -> int:
    """The most of them within any stretch of so long."""
    return max((sum(at <= time < at + seconds for time in times) for at in times), default=0)


def late_edits(calls: Sequence[Call]) -> int:
    """Edits behind the last answer, without the one of each message by which it is folded."""
    sent = [number for number, call in enumerate(calls) if call.method == "sendMessage" and not _roll(call)]
    late = [call for call in calls[sent[-1] + 1 :] if call.method == "editMessageText"] if sent else []
    folds = {
        str(call.arguments.get("message_id")) for call in late if "⏳" not in str(call.arguments["text"])
    }
    return len(late) - len(folds)


def _roll(call: Call) -> bool:
    return is_roll_call(str(call.arguments.get("text", "")))
