"""The codes of an authenticator (RFC 6238): a secret, its address for a phone, and which step a code is of.

The one place that imports pyotp. What a code is asked for, and that none counts twice, is for `confirming`.
"""

import hmac
from datetime import datetime
from typing import Final

STEP_SECONDS: Final = 30
DRIFT_STEPS: Final = 1
"""How many steps a phone's clock may be early or late."""
ISSUER: Final = "Legio"
ACCOUNT: Final = "Caesar"


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
        if hmac.compare_digest(codes.at(step), code):
            found = step
    return found
