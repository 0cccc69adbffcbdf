"""One Legio to run, and what its parts are told of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from legio.castra import Castra
from legio.claude.agent import Line
from legio.clock import SystemClock
from legio.config import Config, Secrets
from legio.console.page import Room
from legio.ports import Clock
from legio.sessions import Bounds, Limits
from legio.zones import home

UNASKED_CREDENTIAL = ("ANTHROPIC_API_KEY", "none")
"""The CLI calls no server without one, and a server of Caesar's own may ask for none."""


@dataclass(frozen=True, slots=True)
class Chat:
    """The page's own chat: the room of it, given who can be named there, and the port of such a page.

    Port 0 takes a free one; one that is taken is an error here, as nobody could say a word.
    """

    room: Callable[[Callable[[], Sequence[tuple[str, str]]]], Room]
    port: int


@dataclass(frozen=True, slots=True)
class Deployment:
    """One Legio to run: who Caesar is, where the castra is, how Telegram and the model are reached.

    With a `chat` there is no phone: it is a room of the page.
    """

    config: Config
    secrets: Secrets
    caesar_id: int
    token: str
    database: str = "praetorium.db"
    chat: Chat | None = None
    clock: Clock = SystemClock()  # noqa: RUF009  (it has no state)

    @property
    def castra(self) -> Castra:
        """Where all that is Caesar's lies."""
        return Castra(self.config.castra)

    @property
    def hidden(self) -> tuple[str, ...]:
        """What is shown and kept nowhere: every secret that it has."""
        return (self.token, *self.secrets.values())

    @property
    def zone(self) -> ZoneInfo:
        """In which Caesar's days begin."""
        return home(self.config.timezone).zone

    @property
    def model_line(self) -> Line:
        """How the model is reached."""
        claude, credential = self.config.claude, self.secrets.model_credential
        return Line(
            base_url=claude.base_url,
            credential=(credential.variable, credential.value) if credential else UNASKED_CREDENTIAL,
            max_retries=claude.max_retries,
            first_byte_seconds=claude.first_byte_seconds,
            stall_seconds=claude.stall_seconds,
            turn_seconds=claude.turn_seconds,
        )

    @property
    def limits(self) -> Limits:
        """What sessions are held to."""
        config = self.config
        return Limits(
            bounds=Bounds(config.claude.turn_seconds, config.claude.stall_seconds),
            idle_seconds=config.session_idle_timeout_minutes * 60,
            max_context_tokens=config.max_context_tokens,
            max_live=config.max_live_sessions,
            max_megabytes=config.max_session_mb,
        )
