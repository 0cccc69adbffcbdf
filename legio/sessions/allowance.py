"""Whether a turn may cost something now; one that may not waits for that, for as long as it takes."""

from collections.abc import Awaitable, Callable

from legio.events import Event, Held
from legio.nuntius import Turn
from legio.ports import Leave, Purse


class Allowance:
    """What one session asks of the purse; without one everything may be spent.

    `watch` is told when a turn has to wait. As that may be for hours, `sleep` gives up the process first, and
    somebody else has its place meanwhile.
    """

    def __init__(
        self,
        purse: Purse | None,
        watch: Callable[[Turn, Event], None],
        sleep: Callable[[], Awaitable[None]],
    ) -> None:
        self._purse = purse
        self._watch = watch
        self._sleep = sleep
        self.held = False
        """Whether a turn waits for Caesar's word."""

    async def leave(self, turn: Turn, *, wanted: Callable[[], bool]) -> Leave | None:
        """Returns when the turn may begin; None when it shall not, or is not `wanted` any more."""
        if self._purse is None:
            return Leave()
        leave = await self._purse.reserve(turn)
        if leave is not None:
            return leave
        self.held = True
        self._watch(turn, Held("the budget"))
        try:
            await self._sleep()
            # Nothing comes between this look and the wait: whoever stops it from now on is heard there.
            return await self._purse.word(turn) if wanted() else None
        finally:
            self.held = False

    def withdraw(self, turn: Turn) -> None:
        """The turn waits no longer."""
        if self._purse is not None:
            self._purse.withdraw(turn)

    def release(self, turn: Turn) -> None:
        """The turn is over, and what it did cost is in the record."""
        if self._purse is not None:
            self._purse.release(turn)
