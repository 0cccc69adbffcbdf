"""How the core speaks to Caesar."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from legio.events import Event
from legio.nuntius import Attachment, Turn


@dataclass(frozen=True, slots=True)
class Button:
    """A thumb's choice under a message. `data` is at most 64 bytes and comes back when it is pressed."""

    label: str
    data: str


PRESS = "turn"
"""How the data of a button begins that is about turns."""


class Press(StrEnum):
    """What a button does that is about turns. Its data says all of it, so it is good after a restart too."""

    STOP = "stop"
    RETRY = "retry"
    STOP_ALL = "stopall"

    def button(self, number: int, label: str) -> Button:
        """About the turn of that id, or for `STOP_ALL` about all turns under the nuntius of that seq."""
        return Button(label, f"{PRESS}:{self}:{number}")


@dataclass(frozen=True, slots=True)
class Block:
    """Text that is shown as it stands, apart from what is said about it: a command, a diff, an order.

    `language` is what its colours follow, such as "diff" or "bash", and makes it code; "" is for words.
    """

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Parcel:
    """One message to be sent, as it stands in the outbox: one parcel, one Telegram message.

    `payload` is JSON that the messenger alone reads. `seq` names the nuntius it carries, if any, so that a
    reply to the sent message finds its way back.
    """

    chat: int
    payload: str
    seq: int | None = None


class Ring(StrEnum):
    """Whether a message rings the phone: never, outside of quiet hours, or always."""

    SILENT = "silent"
    USUAL = "usual"
    URGENT = "urgent"


class Messenger(Protocol):
    """How the core speaks to Caesar."""

    def answer(self, turn: Turn, heading: str, text: str) -> tuple[Parcel, ...]:
        """1. Pure: Markdown cut into messages that the platform accepts, in reply to the turn's message."""

    def notice(
        self,
        text: str,
        buttons: Sequence[Button] = (),
        *,
        reply_to: int | None = None,
        block: Block | None = None,
        ring: Ring = Ring.USUAL,
        about: str = "",
    ) -> Parcel:
        """2. Pure: a short word of Legio itself, in plain text, at most 4,000 characters of it.

        It stands where the agent's words stand whom it is `about`, else beside what it replies to.
        The block stands under it; of a long one the beginning and the end, and how much is left out.
        """

    def progress(self, turn: Turn, event: Event) -> None:
        """3. Shows what an agent does; never blocks, never raises, may be dropped or coalesced."""

    def wake(self) -> None:
        """4. Parcels were written to the outbox: look there. Never blocks."""

    def file(self, turn: Turn, heading: str, file: Attachment, caption: str) -> Parcel:
        """5. Pure: a file of the castra, as a picture where it is one, under a plain caption."""
