"""Into the page of a whole Legio by the link that it prints, as a browser goes in, without one."""

import contextlib
import re
from collections.abc import AsyncIterator

import httpx

_LINK = re.compile(r"((http://127\.0\.0\.1:\d+)/login#([\w-]{43}))(?=\s|$)")


def link(announcement: str) -> str:
    """The one-time link in what Legio said."""
    return _found(announcement)[0]


def address(announcement: str) -> str:
    """Where the page is to which it leads."""
    return _found(announcement)[1]


def stranger(announcement: str) -> httpx.AsyncClient:
    """Somebody at the same page who has followed no link; what he writes comes from nowhere."""
    return httpx.AsyncClient(base_url=address(announcement), trust_env=False, verify=False)


@contextlib.asynccontextmanager
async def entered(announcement: str) -> AsyncIterator[httpx.AsyncClient]:
    """Caesar's browser, which has followed the link: what he writes comes from the page, with its token."""
    _, base, token = _found(announcement)
    async with stranger(announcement) as browser:
        browser.headers["Origin"] = base
        answer = await browser.post("/login/link", json={"token": token})
        assert answer.status_code == 200, answer.text
        browser.headers["X-Legio-Token"] = (await browser.get("/rooms")).json()["token"]
        yield browser


def _found(announcement: str) -> tuple[str, str, str]:
    found = _LINK.search(announcement)
    assert found, announcement
    return found[1], found[2], found[3]
