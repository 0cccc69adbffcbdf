"""Which model answers for an agent and how hard it thinks, and who decided that.

Caesar's word for one agent goes before the agent's own prompt, that before his word for all, and that before
the configuration. His words are kept in memory and written through, so that whoever makes a brief never
waits. When a change takes effect is the sessions' business: at the next turn, while the thread goes on.
"""

import json
from dataclasses import dataclass
from enum import StrEnum

import structlog

from legio.ports import Settings
from legio.roster import Profile

log = structlog.get_logger()

SETTING = "tuning"
EFFORTS = ("low", "medium", "high", "xhigh", "max")
ALIASES = ("opus", "sonnet", "haiku")
"""The models that every provider of Claude's knows by these names."""
EVERYONE = ""


class Dial(StrEnum):
    """What can be set."""

    MODEL = "model"
    EFFORT = "effort"


@dataclass(frozen=True, slots=True)
class Choice:
    """What is in force, None for the CLI's own default, and by whose word."""

    value: str | None
    reason: str


class Tuning:
    """The dials of all agents. `load` once before the first brief is made."""

    def __init__(self, settings: Settings, *, model: str | None) -> None:
        self._settings = settings
        self._model = model
        self._said: dict[Dial, dict[str, str]] = {dial: {} for dial in Dial}

    async def load(self) -> None:
        """Take up what Caesar said in an earlier life; what cannot be read counts for nothing."""
        written = await self._settings.get(SETTING)
        try:
            self._said = _read(written or "{}")
        except (ValueError, TypeError, AttributeError):
            log.warning("tuning.unreadable", found=written)

    def model(self, profile: Profile) -> Choice:
        """The model in force for an agent."""
        return self._choice(Dial.MODEL, profile, profile.model, self._model)

    def effort(self, profile: Profile) -> Choice:
        """The effort in force for an agent."""
        return self._choice(Dial.EFFORT, profile, profile.effort, None)

    def of(self, dial: Dial, profile: Profile) -> Choice:
        """What is in force of that kind."""
        return self.model(profile) if dial is Dial.MODEL else self.effort(profile)

    def said(self, dial: Dial, name: str = EVERYONE) -> str | None:
        """Caesar's own word for one agent, or for everyone."""
        return self._said[dial].get(name)

    async def say(self, dial: Dial, value: str | None, name: str = EVERYONE) -> None:
        """Caesar's word; None takes it back."""
        said = {kind: dict(words) for kind, words in self._said.items()}
        if value is None:
            said[dial].pop(name, None)
        else:
            said[dial][name] = value
        await self._settings.put(SETTING, json.dumps(said))
        self._said = said

    def models(self, profiles: tuple[Profile, ...]) -> tuple[str, ...]:
        """The models that can be offered: the aliases, and whatever is named anywhere."""
        named = [self._model, *(profile.model for profile in profiles), *self._said[Dial.MODEL].values()]
        return tuple(dict.fromkeys([*ALIASES, *(name for name in named if name)]))

    def _choice(self, dial: Dial, profile: Profile, own: str | None, configured: str | None) -> Choice:
        ways = (
            (self.said(dial, profile.name), f"set by /{dial} for {profile.name}"),
            (own, "from his prompt.md"),
            (self.said(dial), f"set by /{dial} for all"),
            (configured, "from legio.toml"),
        )
        for value, reason in ways:
            if value is not None:
                return Choice(value, reason)
        return Choice(None, "nobody named one")


def _read(written: str) -> dict[Dial, dict[str, str]]:
    given = json.loads(written)
    return {dial: {str(name): str(value) for name, value in given.get(dial, {}).items()} for dial in Dial}
