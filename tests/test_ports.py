import inspect
import re
from typing import Any

import pytest

from legio import ports

PORTS = sorted(
    (
        value
        for _, value in inspect.getmembers(ports, inspect.isclass)
        if getattr(value, "_is_protocol", False)
    ),
    key=lambda port: port.__name__,
)
PORTS = [port for port in PORTS if port.__module__.startswith(ports.__name__)]


def methods(port: type) -> list[Any]:
    return [value for name, value in vars(port).items() if inspect.isfunction(value) and name[0] != "_"]


def test_the_ports_are_those_of_the_design() -> None:
    names = {port.__name__ for port in PORTS}

    assert names >= {
        "Clock",
        "Agent",
        "Messenger",
        "Inbox",
        "Turns",
        "Nuntii",
        "Threads",
        "Outbox",
        "Memoria",
    }


@pytest.mark.parametrize("port", PORTS, ids=lambda port: port.__name__)
def test_a_port_has_at_most_five_methods(port: type) -> None:
    assert 1 <= len(methods(port)) <= 5


@pytest.mark.parametrize("port", PORTS, ids=lambda port: port.__name__)
def test_a_ports_promises_are_numbered(port: type) -> None:
    numbers = [re.match(r"(\d)\. \S", inspect.getdoc(method) or "") for method in methods(port)]

    assert [number and int(number[1]) for number in numbers] == list(range(1, len(numbers) + 1))
