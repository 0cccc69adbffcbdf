from pathlib import Path

import pytest

from legio.config.places import Address, Folder, Host, Listen, Site, Url
from legio.config.rules import Rule, Wrong


@pytest.mark.parametrize(
    ("rule", "raw", "value"),
    [
        (Folder(), "camp", Path("camp")),
        (Folder(), "~/camp", Path("~/camp").expanduser()),
        (Url(), "http://127.0.0.1:8081", "http://127.0.0.1:8081"),
        (Url(), " https://example.org/v1// ", "https://example.org/v1"),
        (Url("/bot"), "http://127.0.0.1:8081/", "http://127.0.0.1:8081/bot"),
        (Url("/bot"), "http://127.0.0.1:8081/bot/", "http://127.0.0.1:8081/bot"),
        (Url("/file/bot"), "http://127.0.0.1:8081", "http://127.0.0.1:8081/file/bot"),
        (Url("/file/bot"), "http://127.0.0.1:8081/file/bot", "http://127.0.0.1:8081/file/bot"),
        (Url(private=True), "https://example.org/hook", "https://example.org/hook"),
        (Url(private=True), "http://127.0.0.1:1/hook", "http://127.0.0.1:1/hook"),
        (Url(private=True), "http://[::1]:1/hook", "http://[::1]:1/hook"),
        (Url(private=True), "http://localhost/hook", "http://localhost/hook"),
        (Listen(), "127.0.0.1:8443", Address("127.0.0.1", 8443)),
        (Listen(), "[::1]:8443", Address("::1", 8443)),
        (Listen(), "camp.example.org:1", Address("camp.example.org", 1)),
        (Site(), "https://Camp.Example.org/", "https://camp.example.org"),
        (Site(), "https://camp.example.org:443", "https://camp.example.org"),
        (Site(), "https://camp.example.org:8443", "https://camp.example.org:8443"),
        (Site(), "https://localhost", "https://localhost"),
        (Host(), "127.0.0.1", "127.0.0.1"),
        (Host(), "localhost", "127.0.0.1"),
        (Host(), " 0.0.0.0 ", "0.0.0.0"),
        (Host(), "0:0:0:0:0:0:0:1", "::1"),
    ],
)
def test_a_place_is_read_and_normalised(rule: Rule, raw: object, value: object) -> None:
    assert rule.read(raw) == value


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "example.org",
        "ftp://example.org",
        "http://",
        "http://example.org:0",
        "http://example.org:99999",
        "http://[::1",
        "http://a b",
        "http://a\nb",
        7,
    ],
)
def test_what_is_no_web_address_is_refused(raw: object) -> None:
    value = Url().read(raw)

    assert isinstance(value, Wrong)
    assert value.remedy == 'Expected is an address such as "http://127.0.0.1:8081".'


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    value = Url().read("https://caesar:hunter2@example.org")

    assert value == Wrong("found an address with a user or a password in it.", "Take them out.")


@pytest.mark.parametrize("raw", ["https://example.org/?a=b", "https://example.org/#a"])
def test_an_address_that_goes_on_behind_its_path_is_refused(raw: str) -> None:
    assert Url().read(raw) == Wrong(f'found the text "{raw}".', "Take away what begins with '?' or '#'.")


@pytest.mark.parametrize("host", ["example.org", "10.0.0.1"])
def test_a_webhook_in_the_clear_is_refused(host: str) -> None:
    value = Url(private=True).read(f"http://{host}/hook")

    assert value == Wrong(
        f'found the text "http://{host}/hook", which is not encrypted.', "Use an address with https."
    )


def test_a_private_address_shows_an_encrypted_example() -> None:
    assert Url(private=True).name == 'an address such as "https://example.org"'


@pytest.mark.parametrize("raw", ["", 8443, ":8443", "127.0.0.1", "127.0.0.1:0", "a:65536", "::1:8443"])
def test_what_is_no_host_and_port_is_refused(raw: object) -> None:
    value = Listen().read(raw)

    assert isinstance(value, Wrong)
    assert value.remedy == 'Expected is a host and a port such as "127.0.0.1:8443".'


@pytest.mark.parametrize("raw", ["", " ", "a\0b", 7])
def test_what_is_no_path_is_refused(raw: object) -> None:
    value = Folder().read(raw)

    assert isinstance(value, Wrong)
    assert value.remedy == "Expected is a folder's path in quotes."


def test_an_unknown_home_folder_is_refused() -> None:
    value = Folder().read("~no-such-user-at-all/camp")

    assert isinstance(value, Wrong)
    assert value.remedy == "Write the whole path."


def test_an_address_is_written_as_it_is_read() -> None:
    assert [str(Address("::1", 1)), str(Address("127.0.0.1", 2))] == ["[::1]:1", "127.0.0.1:2"]


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        ("http://camp.example.org", "which is not encrypted"),
        ("http://127.0.0.1:8471", "which is not encrypted"),
        ("https://camp.example.org/legio", "which has a path"),
        ("https://lager.ch/?a=b", "found the text"),
        ("https://caesar:hunter2@camp.example.org", "found an address with a user or a password in it."),
        ("https://lagerf\u00fchrer.example", "found the text"),
        ("camp.example.org", "found the text"),
        (7, "found the number 7."),
    ],
)
def test_what_is_no_place_for_the_console_is_refused(raw: object, what: str) -> None:
    value = Site().read(raw)

    assert isinstance(value, Wrong)
    assert what in value.what
    assert "hunter2" not in f"{value}"


@pytest.mark.parametrize("raw", ["camp.example.org", "", "127.0.0.1:8471", "256.0.0.1", 7, None])
def test_what_is_no_address_of_a_machine_is_refused(raw: object) -> None:
    value = Host().read(raw)

    assert isinstance(value, Wrong)
    assert value.remedy == 'Expected is an address of this machine such as "127.0.0.1".'
