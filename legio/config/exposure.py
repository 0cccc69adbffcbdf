"""Who can reach the console: this machine alone, or others too, and then through TLS and by one name.

Each key is right by itself; what is wrong here is how they stand together.
"""

from legio.config.places import loopback
from legio.config.values import ConsoleConfig
from legio.errors import Problem


def exposed(console: ConsoleConfig) -> tuple[Problem, ...]:
    """What would show the console to others in the clear, or to nobody; empty when all is well."""
    if loopback(console.host):
        return ()
    problems = []
    if not console.tls_in_front:
        problems.append(
            Problem(
                "[console] host",
                f"others can reach {console.host}, and nothing says that TLS stands in front.",
                "Put a proxy that speaks TLS in front and set tls_in_front = true, or take host away.",
            )
        )
    if console.public_url is None:
        problems.append(
            Problem(
                "[console] public_url",
                f"it is not set, and at {console.host} the page would answer to no name from outside.",
                "Set it to the https address that your proxy serves.",
            )
        )
    return tuple(problems)
