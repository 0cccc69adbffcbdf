"""How the core speaks to Caesar."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from legio.events import Event
from legio.nuntius import Turn


@dataclass(frozen=True, slots=True)
class Button:
    """A thumb's choice under a message. `data` is at most 64 bytes and comes back when it is pressed."""

    label: str
    data: str


@dataclass(frozen=True, slots=True)
class Parcel:
    """One message to be sent, as it stands in the outbox: one parcel, one Telegram message.

    `payload` is JSON that the messenger alone reads. `seq` names the nuntius it carries, if any, so that a
    reply to the sent message finds its way back.
    """

    chat: int
    payload: str
    seq: int | None = None


class Messenger(Protocol):
    """How the core speaks to Caesar."""

    def answer(self, turn: Turn, heading: str, text: str) -> tuple[Parcel, ...]:
        """1. Pure: Markdown cut into messages that the platform accepts, in reply to the turn's message."""

    def notice(self, text: str, buttons: Sequence[Button] = (), *, reply_to: int | None = None) -> Parcel:
        """2. Pure: a short word of Legio itself, in plain text, at most 4,000 characters of it."""

    def progress(self, turn: Turn, event: Event) -> None:
        """3. Shows what an agent does; never blocks, never raises, may be dropped or coalesced."""

    def wake(self) -> None:
        """4. Parcels were written to the outbox: look there. Never blocks."""
