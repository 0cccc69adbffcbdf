from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from legio.bot.totp import address, new_secret, step_at, step_of

RFC = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
"""The secret of RFC 6238, appendix B; the codes there are the same ones with two digits more in front."""


def test_the_codes_are_those_of_the_standard() -> None:
    for seconds, code in (
        (59, "287082"),
        (1111111109, "081804"),
        (1234567890, "005924"),
        (20000000000, "353130"),
    ):
        step = step_at(datetime.fromtimestamp(seconds, UTC))
        assert step_of(RFC, code, range(step, step + 1)) == step
        assert step_of(RFC, code, range(step - 1, step + 2)) == step
        assert step_of(RFC, code, range(step + 1, step + 2)) is None


def test_a_secret_is_long_and_never_the_same() -> None:
    secrets = {new_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert {len(secret) for secret in secrets} == {32}


def test_an_authenticator_is_told_whose_secret_it_is() -> None:
    parts = urlsplit(address(RFC))
    assert (parts.scheme, parts.netloc, parts.path) == ("otpauth", "totp", "/Legio:Caesar")
    assert parse_qs(parts.query) == {"secret": [RFC], "issuer": ["Legio"]}
