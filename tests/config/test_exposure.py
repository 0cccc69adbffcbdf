import pytest

from legio.config import ConsoleConfig
from legio.config.exposure import exposed

URL = "https://camp.example.org"


@pytest.mark.parametrize(
    "console",
    [
        ConsoleConfig(),
        ConsoleConfig(host="::1"),
        ConsoleConfig(host="127.0.0.9", public_url=URL),
        ConsoleConfig(host="0.0.0.0", public_url=URL, tls_in_front=True),
    ],
)
def test_this_machine_alone_is_well_and_so_is_tls_in_front(console: ConsoleConfig) -> None:
    assert exposed(console) == ()


def test_what_others_can_reach_wants_tls_in_front_and_a_name() -> None:
    unprotected, unnamed = map(str, exposed(ConsoleConfig(host="0.0.0.0")))
    assert unprotected == (
        "[console] host: others can reach 0.0.0.0, and nothing says that TLS stands in front."
        " Put a proxy that speaks TLS in front and set tls_in_front = true, or take host away."
    )
    assert unnamed == (
        "[console] public_url: it is not set, and at 0.0.0.0 the page would answer to no name from outside."
        " Set it to the https address that your proxy serves."
    )


@pytest.mark.parametrize(
    ("console", "key"),
    [
        (ConsoleConfig(host="::", public_url=URL), "[console] host"),
        (ConsoleConfig(host="10.0.0.5", tls_in_front=True), "[console] public_url"),
    ],
)
def test_each_of_them_alone_is_told(console: ConsoleConfig, key: str) -> None:
    assert [problem.key for problem in exposed(console)] == [key]
