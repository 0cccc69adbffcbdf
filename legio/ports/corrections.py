"""What Caesar said may change while nobody has been told it; afterwards something takes its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from legio.nuntius import Nuntius, Turn
from legio.ports.messenger import Parcel
from legio.ports.record import Ending


@dataclass(frozen=True, slots=True)
class Source:
    """The messages of Caesar's that became `nuntius`: what each says, by Telegram's id, in their order."""

    nuntius: Nuntius
    parts: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Cause:
    """What brings a change: the updates, what Caesar's messages say by now, and what he is told of it."""

    updates: tuple[int, ...]
    parts: Mapping[int, str]
    parcels: tuple[Parcel, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """What came of a change: the turns that were admitted, and those that were stopped for it."""

    admitted: tuple[Turn, ...] = ()
    stopped: tuple[Turn, ...] = ()


class Corrections(Protocol):
    """Changes to what Caesar said. Each method that writes is one transaction, and ends the letters.

    A nuntius is untold while all of its turns are pending and no thread of an agent who may see it, as it
    stands or as it is to stand, has come as far as its seq. Only then its text may change: what a thread was
    told and what the record says are the same for ever.
    """

    async def source(self, message: int) -> Source | None:
        """1. What Caesar's Telegram message became, with all the messages that became it; None if nothing."""

    async def join(self, seq: int, text: str, *, update_id: int, message: int) -> Nuntius | None:
        """2. Adds a line to the untold nuntius, which the message belongs to from now on.

        None, and nothing changes, if it has been told or the letter had ended.
        """

    async def amend(
        self, nuntius: Nuntius, agents: Sequence[str], cause: Cause, ending: Ending
    ) -> Change | None:
        """3. The untold nuntius of that seq gets this text and audience, and is asked of `agents` alone.

        Turns of others end with `ending`, new ones are admitted. None, and nothing changes, if it has been
        told, the letters had ended, or something later waits for one who would be asked it only now: he is
        asked all in the order in which it was said.
        """

    async def replace(
        self,
        nuntius: Nuntius,
        agents: Sequence[str],
        cause: Cause,
        endings: Sequence[tuple[Turn, Ending]],
    ) -> Change:
        """4. Admits a nuntius and ends what it takes the place of, as far as that has not ended.

        Nothing changes if the letters had ended. The messages of the cause lead to the new nuntius.
        """

    async def again(self, turn_id: int, nuntius_id: str, *, update_id: int) -> Turn | None:
        """5. Admits what an ended turn was asked once more, to its agent alone, under that new id.

        None, and only the letter ends, if the turn was answered, has not ended, was not Caesar's own
        question, or was asked again before.
        """
