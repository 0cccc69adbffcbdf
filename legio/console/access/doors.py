"""The names under which the page is called, and what follows from each: its origin, its cookie, who may come.

This machine's names are for this machine: who is elsewhere has to come by the public address, through TLS.
What a proxy writes into headers is not believed; that it wrote anything says that it stands in between.
"""

import ipaddress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from legio.loopback import on_loopback

COOKIE: Final = "legio"
FORWARDED: Final = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


@dataclass(frozen=True, slots=True)
class Door:
    """By which name one has come. `origin` is the page's own then; behind TLS the cookie is for TLS alone."""

    origin: str
    secure: bool

    @property
    def cookie(self) -> str:
        """The cookie's name; cookies know no port, and two Legios may stand on one machine."""
        if self.secure:
            return f"__Host-{COOKIE}"  # browsers take it from TLS, for this host and the whole of it, alone
        return f"{COOKIE}-{urlsplit(self.origin).port or 80}"


class Doors:
    """All of them: this machine's names, and the public one if there is any."""

    def __init__(self, public_url: str | None) -> None:
        self._public_url = public_url
        self._public_host = None if public_url is None else urlsplit(public_url).netloc

    def origin(self, host: str) -> str | None:
        """The page's own origin for a Host; None for a name that it does not answer to."""
        if self._public_host is not None and host.lower().removesuffix(":443") == self._public_host:
            return self._public_url
        return on_loopback(host)

    def by(self, host: str) -> Door | None:
        """The door of that name."""
        origin = self.origin(host)
        return None if origin is None else Door(origin, secure=origin == self._public_url)


def address(scope: Scope) -> str:
    """From where the connection comes: a client, or the proxy in front of all of them."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def at_home(scope: Scope) -> bool:
    """Whether the connection comes from this machine."""
    try:
        found = ipaddress.ip_address(address(scope))
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def passed_on(headers: Headers) -> bool:
    """Whether a proxy says that it stands in between."""
    return any(name in headers for name in FORWARDED)
