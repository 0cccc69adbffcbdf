"""`legio totp`: a secret for Caesar's authenticator, shown once. Nothing is written anywhere."""

import argparse

from legio.cli import picture
from legio.config.secrets import FILE, TOTP
from legio.totp import address, new_secret


def totp(_: argparse.Namespace) -> int:
    """Show a new secret as a QR code, as its address and as it is, and say where it belongs."""
    secret = new_secret()
    print(picture.of(address(secret)))
    print(
        f"""
Scan this with an authenticator app, or type in the secret. It is shown once and was written nowhere.

secret:  {secret}
address: {address(secret)}

Then start Legio with {TOTP} set to the secret, or {TOTP}{FILE} to a file that holds it.
From then on /remove, /revoke and /reset want a code of the app after the button, and the console's page
takes one to sign in."""
    )
    return 0
