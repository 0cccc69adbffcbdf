"""How centuriones come and go: a prompt from the blueprint, and a farewell that destroys nothing."""

from collections.abc import Callable

import structlog

from legio.castra import centurio_name
from legio.decisions import Choice
from legio.errors import Refused
from legio.ports import Clock
from legio.roster import Roster
from legio.sessions import Sessions

log = structlog.get_logger()

LONGEST_SPECIALIZATION = 200


class Recruiting:
    """Creates and removes centuriones, `limit` at most. `sessions` is set by whoever builds both."""

    sessions: Sessions

    def __init__(
        self, roster: Roster, blueprint: Callable[[str, str], str], clock: Clock, *, limit: int
    ) -> None:
        self._roster = roster
        self._blueprint = blueprint
        self._clock = clock
        self._limit = limit

    async def create(self, name: str, specialization: str) -> str:
        """Write the new centurio's prompt; returns a sentence. Raises `LegioError` when he cannot be."""
        said = " ".join(specialization.split())
        if not said or len(said) > LONGEST_SPECIALIZATION:
            raise Refused(
                f"a specialization has 1 to {LONGEST_SPECIALIZATION} characters, this one has {len(said)}.",
                remedy="Say it in one sentence; the prompt can be edited afterwards.",
            )
        profile = self._roster.create(centurio_name(name), said, self._blueprint(name, said), self._limit)
        log.info("centurio.created", agent=profile.name)
        return f"{profile.name} has joined: {profile.description} Write @{profile.name} to address him."

    async def remove(self, name: str) -> str:
        """End his session and put his files aside; returns a sentence."""
        self._roster.remove(name, now=self._clock.now())
        await self.sessions.dismiss(name)
        log.info("centurio.removed", agent=name)
        return f"{name} has been removed. His files lie in centuriones/.removed; nothing was deleted."

    def removal(self, name: str) -> tuple[Choice, Choice]:
        """Caesar's choice about removing `name`."""

        async def remove() -> str:
            return await self.remove(name)

        async def keep() -> str:
            return f"{name} stays."

        return Choice(f"Remove {name}", remove, grave=True), Choice("Keep", keep)
