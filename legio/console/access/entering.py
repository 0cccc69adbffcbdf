"""The three ways in: a one-time link, a code of the authenticator, Telegram's word on who opened the page.

A code can be guessed, so after some failures nobody may try for a while. Link and word cannot: a right one is
taken at any time, so that no stranger's failures keep Caesar out; only who brings wrong ones is told to wait.
"""

from collections.abc import Awaitable, Callable

import structlog

from legio.console.access.initdata import InitData
from legio.console.access.links import Links
from legio.console.access.pauses import Tries
from legio.console.access.refusing import Denied
from legio.ports import Clock
from legio.totp import Authenticator, Verdict

log = structlog.get_logger()

DEAD_LINK = "This link is not good any more. Ask for a new one."
NO_WORD = "Telegram's word does not let you in. Open the page anew from its menu."
CODE = "Look at your authenticator."
DENIALS = {
    Verdict.WRONG: ("code: wrong", "That code is wrong.", "Look at your authenticator again."),
    Verdict.USED: ("code: used before", "That code was used before.", "Wait for the next one."),
}


class Entering:
    """Lets in, or raises `Denied`. `address` is where one comes from."""

    def __init__(
        self, links: Links, init_data: InitData, authenticator: Authenticator | None, clock: Clock
    ) -> None:
        self._links = links
        self._init_data = init_data
        self._authenticator = authenticator
        self._guesses = Tries(clock)
        self._proofs = Tries(clock)

    @property
    def by_codes(self) -> bool:
        """Whether there is an authenticator."""
        return self._authenticator is not None

    async def by_link(self, token: str, address: str) -> None:
        """With what stands behind the '#' of a one-time link."""
        if not await self._links.take(token):
            raise self._unproven(address, "link", DEAD_LINK)
        log.info("console.entered", way="link", client=address)

    async def by_telegram(self, raw: str, address: str) -> None:
        """With the Mini App's `initData`, as it came; where there is an authenticator, it does not do.

        The phone may be in other hands: what a code is asked for in the chat is done here without one.
        """
        if self.by_codes:
            raise Denied("initData: a code is wanted", "This camp is opened with a code.", remedy=CODE)
        wrong = await self._init_data.take(raw)
        if wrong:
            raise self._unproven(address, f"initData: {wrong}", NO_WORD)
        log.info("console.entered", way="telegram", client=address)

    async def by_code(self, code: str, address: str) -> None:
        """With a code of the authenticator, which counts once, here and in the chat."""
        accept = self._accepting()
        wait = self._guesses.left(address)
        if wait > 0:
            raise Denied("code: too many", "Too many codes were wrong.", remedy="Wait a while.", wait=wait)
        self._guesses.begun(address)
        verdict = await accept("".join(code.split()))
        if verdict is not Verdict.RIGHT:
            reason, what, remedy = DENIALS[verdict]
            raise Denied(reason, what, remedy=remedy)
        self._guesses.went_well(address)
        log.info("console.entered", way="code", client=address)

    def _accepting(self) -> Callable[[str], Awaitable[Verdict]]:
        if self._authenticator is None:
            raise Denied("code: no authenticator", "There is no authenticator.", remedy="Ask for a link.")
        return self._authenticator.accept

    def _unproven(self, address: str, reason: str, what: str) -> Denied:
        wait = self._proofs.left(address)
        self._proofs.begun(address)
        return Denied(reason, what, wait=wait)
