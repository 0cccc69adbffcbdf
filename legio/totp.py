"""The codes of an authenticator (RFC 6238): a secret, its address for a phone, and codes that count once.

The one place that imports pyotp. What a code is asked for, and how often one may guess, is for whoever asks:
the bot and the page share one `Authenticator`, so that a code used at one is used up at the other.
"""

import asyncio
import hmac
from datetime import datetime
from enum import Enum, auto
from typing import Final

from legio.ports import Clock, Settings

STEP_SECONDS: Final = 30
DRIFT_STEPS: Final = 1
"""How many steps a phone's clock may be early or late."""
REMEMBERED_STEPS: Final = 10
"""A code that came later than this after its step is a number like any other."""
ISSUER: Final = "Legio"
ACCOUNT: Final = "Caesar"
LAST_STEP: Final = "totp.step"


class Verdict(Enum):
    """What a code was worth."""

    RIGHT = auto()
    WRONG = auto()
    USED = auto()


class Authenticator:
    """The codes of one secret, each good once, also over a restart. Belongs to one event loop."""

    def __init__(self, secret: str, settings: Settings, clock: Clock) -> None:
        self._secret = secret
        self._settings = settings
        self._clock = clock
        self._spending = asyncio.Lock()

    async def accept(self, code: str) -> Verdict:
        """Whether the code counts now; a right one is used up, and on the disk as such, when this returns."""
        now = step_at(self._clock.now())
        step = step_of(self._secret, code, range(now - DRIFT_STEPS, now + DRIFT_STEPS + 1))
        if step is None:
            return Verdict.WRONG
        async with self._spending:  # two who bring one code at once: the second finds it used
            last = await self._settings.get(LAST_STEP)
            if last is not None and step <= int(last):
                return Verdict.USED
            await self._settings.put(LAST_STEP, str(step))
        return Verdict.RIGHT

    def knows(self, code: str, sent: datetime) -> bool:
        """Whether what was sent then is, or lately was, a code, used or not."""
        step = step_at(sent)
        steps = range(step - REMEMBERED_STEPS, step + 2 * DRIFT_STEPS)
        return step_of(self._secret, code, steps) is not None


def new_secret() -> str:
    """160 bits, in base 32 as authenticators take them."""
    import pyotp

    return pyotp.random_base32()


def address(secret: str) -> str:
    """The otpauth URI: what the QR code says."""
    import pyotp

    return pyotp.TOTP(secret).provisioning_uri(name=ACCOUNT, issuer_name=ISSUER)


def step_at(moment: datetime) -> int:
    """The number of the step that runs then."""
    return int(moment.timestamp()) // STEP_SECONDS


def step_of(secret: str, code: str, steps: range) -> int | None:
    """The last of `steps` that has this code, or None. All are looked at, whichever it is."""
    import pyotp

    codes, found = pyotp.HOTP(secret), None  # a TOTP is an HOTP that counts steps
    for step in steps:
        if hmac.compare_digest(codes.at(step).encode(), code.encode()):
            found = step
    return found
