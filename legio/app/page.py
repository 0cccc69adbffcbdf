"""The page of the running Legio: its rooms, the way in, and where it is served."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from legio.app.core import Core
from legio.app.deployment import Deployment
from legio.app.front import Front
from legio.bot.ways import preview
from legio.claude.counting import ProviderCounter
from legio.console import Console
from legio.console.access import Access, Identity
from legio.console.page import Room
from legio.console.rooms.agents import agents_room
from legio.console.rooms.costs import Sources, costs_room
from legio.console.rooms.feed import feed_room
from legio.console.rooms.memoria import memoria_room
from legio.console.rooms.now import now_room
from legio.console.rooms.praetorium import praetorium_room
from legio.errors import Refused
from legio.logs import redacted
from legio.memoria.history import FileHistory
from legio.praetorium import Praetorium

UNSERVED = "Set [console] port in legio.toml, and start Legio anew."


@dataclass
class Site:
    """The page, as long as Legio runs. `url` is where it is served, "" while it is not."""

    access: Access
    public_url: str | None
    url: str = ""

    @property
    def address(self) -> str:
        """Where it is opened; raises `Refused` while it is not served."""
        if not self.url:
            raise Refused("the console is not served.", remedy=UNSERVED)
        return self.public_url or self.url

    async def link(self) -> str:
        """A one-time link to it; raises `Refused` while it is not served."""
        return await self.access.link(self.address)

    async def invitation(self) -> str:
        """What Caesar is told in the chat, which may be open on a phone in other hands.

        Where there is an authenticator, none gets in from there without it.
        """
        if self.access.by_codes:
            return f"{self.address}\n\nSign in there with a code of your authenticator."
        link = await self.link()
        return f"This opens the console once, within ten minutes; pass it on to nobody.\n\n{link}"


def site(deployment: Deployment, praetorium: Praetorium, core: Core) -> Site:
    """The way in, before there is anything to be seen."""
    public_url = deployment.config.console.public_url
    identity = Identity(deployment.caesar_id, deployment.token, core.authenticator)
    return Site(Access(praetorium.settings, deployment.clock, identity, public_url=public_url), public_url)


def rooms(
    deployment: Deployment, praetorium: Praetorium, front: Front, core: Core, *, shown: Console
) -> tuple[Room, ...]:
    """All of them, in the order of the page; the chat comes first where there is one."""
    chat = () if deployment.chat is None else (deployment.chat.room(_people(core)),)
    return (
        *chat,
        now_room(core.survey),
        _feed(deployment, praetorium, core),
        praetorium_room(
            praetorium.chronicle, praetorium.ledger, praetorium.search, core.depot, deployment.zone
        ),
        _memoria(deployment, core),
        agents_room(core.survey, core.recruiting, praetorium.talk, configured=tuple(deployment.config.mcp)),
        costs_room(
            Sources(
                console=shown,
                figures=praetorium.figures,
                caps=core.budget.today,
                ledger=praetorium.ledger,
                clock=deployment.clock,
                zone=deployment.zone,
                preview=preview,
                wake=front.messenger.wake,
            )
        ),
    )


def _feed(deployment: Deployment, praetorium: Praetorium, core: Core) -> Room:
    clean = partial(redacted, secrets=deployment.hidden)
    return feed_room(praetorium.feed, deployment.clock, lambda: core.survey.names, clean)


def _memoria(deployment: Deployment, core: Core) -> Room:
    clock = deployment.clock
    counter = ProviderCounter(deployment.model_line, clock)
    return memoria_room(core.muster, FileHistory(deployment.castra, clock), counter, clock)


def _people(core: Core) -> Callable[[], Sequence[tuple[str, str]]]:
    return lambda: [(profile.name, profile.description) for profile in core.roster.centuriones()]
