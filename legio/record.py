"""Where it all is written, and how Caesar is told: what everybody holds who decides about nuntii.

It holds the ports together and says a word of Legio's own; who says what, and when, is decided above.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from legio.ports import Block, Button, Clock, Corrections, Messenger, Nuntii, Outbox, Ring, Turns


@dataclass(frozen=True, slots=True)
class Record:
    """The record and the way to Caesar."""

    turns: Turns
    corrections: Corrections
    nuntii: Nuntii
    outbox: Outbox
    messenger: Messenger
    clock: Clock

    async def tell(
        self,
        text: str,
        buttons: Sequence[Button] = (),
        *,
        reply_to: int | None = None,
        block: Block | None = None,
        ring: Ring = Ring.USUAL,
        about: str = "",
    ) -> None:
        """A word of Legio itself to Caesar, in reply to the message of that Telegram id; a block under it.

        It may be `about` an agent.
        """
        notice = self.messenger.notice(text, buttons, reply_to=reply_to, block=block, ring=ring, about=about)
        await self.outbox.add([notice])
        self.messenger.wake()
