"""All of it joined: what the composition root is given, and what it puts around the page."""

from dataclasses import dataclass, field

from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from legio.console.access.doors import Doors
from legio.console.access.entering import Entering
from legio.console.access.initdata import InitData
from legio.console.access.links import Links
from legio.console.access.login import login_routes
from legio.console.access.pauses import Quota
from legio.console.access.streams import Streams
from legio.console.access.visits import Visits
from legio.console.access.wall import Wall
from legio.ports import Clock, Settings
from legio.totp import Authenticator


@dataclass(frozen=True, slots=True)
class Identity:
    """By what Caesar is known; `bot_token` is whose word on him Telegram signs with."""

    caesar_id: int
    bot_token: str = field(repr=False)
    authenticator: Authenticator | None = None


class Access:
    """The way into the console of one Legio. Belongs to one event loop."""

    def __init__(
        self, settings: Settings, clock: Clock, identity: Identity, *, public_url: str | None = None
    ) -> None:
        self._streams = Streams()
        self._links = Links(settings, clock)
        self._doors = Doors(public_url)
        self._visits = Visits(settings, clock, self._streams.end)
        self._quota = Quota(clock)
        said = InitData(settings, clock, token=identity.bot_token, caesar_id=identity.caesar_id)
        self._entering = Entering(self._links, said, identity.authenticator, clock)

    async def link(self, base_url: str) -> str:
        """A one-time link to the console at that address, good for ten minutes; earlier ones are dead."""
        return await self._links.make(base_url)

    @property
    def by_codes(self) -> bool:
        """Whether codes of an authenticator are asked for."""
        return self._entering.by_codes

    def routes(self) -> list[BaseRoute]:
        """The addresses of signing in and out, to stand beside those of the page."""
        return login_routes(self._visits, self._entering)

    def wall(self, app: ASGIApp) -> ASGIApp:
        """`app`, for Caesar alone."""
        return Wall(app, self._doors, self._visits, self._streams, self._quota)
