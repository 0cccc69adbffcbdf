"""How a roll-call looks: its line, what is being written under its writer's name, and its buttons. Pure."""

from dataclasses import dataclass
from typing import Final

from legio.bot.payload import Rows, in_rows
from legio.bot.piece import Piece, sendable, utf16_length
from legio.bot.rollcall.roll import Entry, Roll
from legio.bot.rollcall.tail import tail
from legio.nuntius import TurnState
from legio.ports import Button, Press

SIGNS: Final = {
    TurnState.PENDING: "⏳",
    TurnState.RUNNING: "⏳",
    TurnState.ANSWERED: "✅",
    TurnState.FAILED: "⛔",
    TurnState.STOPPED: "⏹",
    TurnState.EXPIRED: "⌛",
}
PAUSED: Final = "⏸"
WHEN_BACK: Final = "goes on when Legio is back"

UNITS: Final = 3800
ENTITIES: Final = 90
"""Somewhat less than a message holds: room for the signs between."""

MOST_BUTTONS: Final = 40

_TIMED: Final = (TurnState.PENDING, TurnState.RUNNING, TurnState.ANSWERED)
_AGAIN: Final = (TurnState.FAILED, TurnState.STOPPED)
_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True, slots=True)
class Face:
    """The message as it is to stand."""

    piece: Piece
    rows: Rows = ()


def face(roll: Roll, now: float) -> Face:
    """The roll-call at `now`; folded, and without buttons, when it is over."""
    if roll.over:
        return Face(Piece(_line(roll.called, now)))
    return Face(_body(roll, now), in_rows(_buttons(roll)))


def paused(roll: Roll, now: float) -> Face:
    """The roll-call of a Legio that stops: who has not ended goes on after it."""
    lines = [
        _text(entry, now) if entry.state.ended else f"{PAUSED} {entry.agent} {WHEN_BACK}"
        for entry in roll.called
    ]
    return Face(Piece(_joined(lines, roll.called)))


def draft(agent: str, markdown: str) -> Piece:
    """What an agent is writing, as a message of its own."""
    return tail(markdown, units=UNITS, entities=ENTITIES).after(Piece(f"⚔️ {agent}\n"))


def spelled(seconds: float) -> str:
    """A duration as short as a phone wants it."""
    whole = int(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    hours, rest = divmod(whole, _HOUR)
    return f"{hours} h {rest // _MINUTE} min" if hours else f"{rest // _MINUTE} min"


def _body(roll: Roll, now: float) -> Piece:
    writing = [entry for entry in roll.called if roll.streaming and entry.draft.strip()]
    if not writing:
        return Piece(_line(roll.called, now))
    room = max(UNITS - utf16_length(_line(roll.called, now)), UNITS // 2)
    share, entities = room // len(writing), ENTITIES // len(writing)
    body, after_block = Piece(""), False
    for entry in roll.called:
        line = Piece(sendable(_text(entry, now)))
        if entry in writing:
            written = tail(entry.draft, units=share, entities=entities)
            line = written.after(Piece(f"{line.text}\n"))
        between = "" if not body.text else "\n\n" if after_block or entry in writing else " · "
        body = line.after(Piece(body.text + between, body.entities))
        after_block = entry in writing
    return body


def _line(called: tuple[Entry, ...], now: float) -> str:
    return _joined([_text(entry, now) for entry in called], called)


def _joined(lines: list[str], called: tuple[Entry, ...]) -> str:
    """All on one line; where a hundred agents were called, only their signs and names."""
    line = " · ".join(lines)
    if utf16_length(line) > UNITS:
        line = " · ".join(f"{SIGNS[entry.state]} {entry.agent}" for entry in called)
    return sendable(line)


def _text(entry: Entry, now: float) -> str:
    seconds = entry.seconds if entry.state.ended else now - entry.since
    time = spelled(seconds) if entry.state in _TIMED else ""
    return " ".join(filter(None, (SIGNS[entry.state], entry.agent, entry.words, time)))


def _buttons(roll: Roll) -> list[Button]:
    buttons = []
    for entry in roll.called:
        if not entry.state.ended:
            buttons.append(Press.STOP.button(entry.turn, f"⏹ {entry.agent}"))
        elif entry.state in _AGAIN:
            buttons.append(Press.RETRY.button(entry.turn, f"🔁 {entry.agent}"))
    running = sum(not entry.state.ended for entry in roll.called)
    all_of_them = [Press.STOP_ALL.button(roll.root, "⏹ Stop all")] if running > 1 else []
    return buttons[: MOST_BUTTONS - 1] + all_of_them
