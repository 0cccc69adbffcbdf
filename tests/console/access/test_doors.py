import pytest
from starlette.datastructures import Headers

from legio.console.access.doors import Door, Doors, address, at_home, passed_on

DOORS = Doors("https://camp.example.org")


@pytest.mark.parametrize("host", ["127.0.0.1:8471", "localhost:8471", "[::1]:8471"])
def test_this_machines_names_have_a_cookie_for_their_port(host: str) -> None:
    door = DOORS.by(host)
    assert door == Door(f"http://{host}", secure=False)
    assert door.cookie == "legio-8471"


def test_without_a_port_it_is_that_of_the_web() -> None:
    door = DOORS.by("localhost")
    assert door is not None
    assert door.cookie == "legio-80"


@pytest.mark.parametrize("host", ["camp.example.org", "camp.example.org:443", "Camp.Example.ORG"])
def test_the_public_name_has_a_cookie_for_tls_and_this_host_alone(host: str) -> None:
    door = DOORS.by(host)
    assert door == Door("https://camp.example.org", secure=True)
    assert door.cookie == "__Host-legio"


@pytest.mark.parametrize(
    "host",
    [
        "",
        "camp.example.org:80",
        "camp.example.org.",
        "a.camp.example.org",
        "camp.example.orgg",
        "203.0.113.5",
    ],
)
def test_there_is_no_other_door(host: str) -> None:
    assert DOORS.by(host) is None
    assert DOORS.origin(host) is None
    assert Doors(None).by("camp.example.org") is None


def test_a_public_port_is_part_of_the_name() -> None:
    doors = Doors("https://localhost:8443")
    assert doors.by("localhost:8443") == Door("https://localhost:8443", secure=True)
    assert doors.by("localhost:8471") == Door("http://localhost:8471", secure=False)


@pytest.mark.parametrize(
    ("client", "home"),
    [
        (("127.0.0.1", 1), True),
        (("127.8.9.1", 1), True),
        (("::1", 1), True),
        (("::ffff:127.0.0.1", 1), True),
        (("::ffff:10.0.0.1", 1), False),
        (("172.17.0.1", 1), False),
        (("0.0.0.0", 1), False),
        (("testclient", 1), False),
        (None, False),
    ],
)
def test_who_is_on_this_machine(client: tuple[str, int] | None, *, home: bool) -> None:
    assert at_home({"client": client}) is home
    assert address({"client": client}) == (client[0] if client else "")


@pytest.mark.parametrize("name", ["Forwarded", "Via", "X-Forwarded-For", "X-Real-IP", "X-Forwarded-Host"])
def test_a_proxy_gives_itself_away(name: str) -> None:
    assert passed_on(Headers({name: "127.0.0.1"}))
    assert not passed_on(Headers({"Host": "localhost"}))
