"""The rules for places: a folder, an address on the web, a host and port to listen on."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from legio.config.rules import Wrong, found, one_line, unexpected

HIGHEST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Folder:
    """A path; `~` is the home folder, and whoever asked knows what a relative one starts from."""

    @property
    def name(self) -> str:
        """What it is."""
        return "a folder's path in quotes"

    def read(self, raw: object) -> Path | Wrong:
        """The path as it was written."""
        if not isinstance(raw, str) or not raw.strip() or not one_line(raw):
            return unexpected(self, raw)
        try:
            return Path(raw).expanduser()
        except RuntimeError:
            return Wrong(f"found {found(raw)}, and there is no such home folder.", "Write the whole path.")


@dataclass(frozen=True, slots=True)
class Url:
    """An http or https address, kept without a slash at its end.

    `ending` is put after it where it does not already end in the same last step: the Bot API's addresses
    end in `/bot`, which a person easily leaves away. `private` refuses http to any host but this one.
    """

    ending: str = ""
    private: bool = False

    @property
    def name(self) -> str:
        """What it looks like."""
        return "an address such as " + (
            '"https://example.org"' if self.private else '"http://127.0.0.1:8081"'
        )

    def read(self, raw: object) -> str | Wrong:
        """The address, normalised."""
        parts = _split(raw)
        if not isinstance(raw, str) or parts is None:
            return unexpected(self, raw)
        if parts.username or parts.password:
            # The address itself is not shown: it holds a password.
            return Wrong("found an address with a user or a password in it.", "Take them out.")
        if parts.query or parts.fragment:
            return Wrong(f"found {found(raw)}.", "Take away what begins with '?' or '#'.")
        if self.private and parts.scheme != "https" and not loopback(parts.hostname or ""):
            return Wrong(f"found {found(raw)}, which is not encrypted.", "Use an address with https.")
        url = raw.strip().rstrip("/")
        last = self.ending.rpartition("/")[2]
        return url if url.endswith(f"/{last}") or not last else url + self.ending


def _split(raw: object) -> SplitResult | None:
    if not isinstance(raw, str) or not one_line(raw) or " " in raw.strip():
        return None
    try:
        parts = urlsplit(raw.strip())
        port_is_one = parts.port is None or parts.port > 0
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname and port_is_one else None


def loopback(host: str) -> bool:
    """Whether it is this machine itself, and nobody else can reach it there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class Site:
    """An https address without a path: of a page at the root of its host. Kept as browsers write it."""

    @property
    def name(self) -> str:
        """What it looks like."""
        return 'an address such as "https://camp.example.org"'

    def read(self, raw: object) -> str | Wrong:
        """The address in lower case, without a slash at its end and without the port of all https."""
        url = Url(private=True).read(raw)
        if isinstance(url, Wrong):
            return url
        parts = urlsplit(url.lower())
        if parts.scheme != "https":
            return Wrong(f"found {found(raw)}, which is not encrypted.", "Use an address with https.")
        if parts.path:
            return Wrong(f"found {found(raw)}, which has a path.", "Take it away.")
        if not parts.netloc.isascii():
            return Wrong(f"found {found(raw)}.", "Write the host as browsers send it: it begins with xn--.")
        return f"https://{parts.netloc.removesuffix(':443')}"


@dataclass(frozen=True, slots=True)
class Host:
    """An address of this machine to listen on."""

    @property
    def name(self) -> str:
        """What it looks like."""
        return 'an address of this machine such as "127.0.0.1"'

    def read(self, raw: object) -> str | Wrong:
        """The address as the machine writes it; the name localhost stands for 127.0.0.1."""
        try:
            return str(ipaddress.ip_address("127.0.0.1" if raw == "localhost" else str(raw).strip()))
        except ValueError:
            return unexpected(self, raw)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Listen:
    """A host and a port to listen on."""

    @property
    def name(self) -> str:
        """What it looks like."""
        return 'a host and a port such as "127.0.0.1:8443"'

    def read(self, raw: object) -> Address | Wrong:
        """The address; an IPv6 one is written in brackets."""
        written = re.fullmatch(r"\s*(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):([0-9]{1,5})\s*", str(raw), re.ASCII)
        if not isinstance(raw, str) or not written or not 1 <= int(written[3]) <= HIGHEST_PORT:
            return unexpected(self, raw)
        return Address(written[1] or written[2], int(written[3]))
