"""`legio login`: a way into the console of the Legio that runs."""

import asyncio
import re
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.cli import main
from legio.clock import SystemClock
from legio.console.access import Links
from legio.embedded import DATABASE
from legio.praetorium import open_praetorium
from legio.praetorium.lock import hold
from legio.templates import init

Shown = pytest.CaptureFixture[str]


@pytest.fixture
def camp(tmp_path: Path) -> Path:
    """A castra in which a Legio has worked; its configuration."""
    init(tmp_path)
    asyncio.run(opened(tmp_path / "castra" / "praetorium.db"))
    return tmp_path / "legio.toml"


async def opened(record: Path, token: str = "") -> bool:
    """Whether the token is good in this praetorium, which is made if it is not there."""
    async with open_praetorium(record, SystemClock()) as praetorium:
        return await Links(praetorium.settings, SystemClock()).take(token)


def shown(capsys: Shown) -> tuple[str, str]:
    """The address and the token of the link that was printed."""
    found = re.fullmatch(r"(\S+)/login#([\w-]{43})\n", capsys.readouterr().out)
    assert found is not None
    return found[1], found[2]


def test_it_prints_a_link_that_the_running_legio_takes(camp: Path, capsys: Shown) -> None:
    castra = Castra(camp.parent / "castra")
    with hold(castra.lock):
        assert main(["login", "--config", str(camp)]) == 0
    base, token = shown(capsys)
    assert base == "http://127.0.0.1:8471"
    assert asyncio.run(opened(castra.database, token))
    assert not asyncio.run(opened(castra.database, token))


def test_where_the_console_has_a_public_address_it_is_that(
    camp: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEGIO_CONSOLE_PUBLIC_URL", "https://camp.example.org")
    with hold(Castra(camp.parent / "castra").lock):
        assert main(["login", "--config", str(camp)]) == 0
    assert shown(capsys)[0] == "https://camp.example.org"


def test_legio_local_has_a_praetorium_of_its_own(camp: Path, capsys: Shown) -> None:
    castra = Castra(camp.parent / "castra")
    with hold(castra.lock):
        assert main(["login", "--local", "--config", str(camp)]) == 1
        assert "no such Legio is running" in capsys.readouterr().err
        asyncio.run(opened(castra.root / DATABASE))
        assert main(["login", "--local", "--config", str(camp)]) == 0
    base, token = shown(capsys)
    assert base == "http://127.0.0.1:8470"
    assert asyncio.run(opened(castra.root / DATABASE, token))


def test_the_page_of_legio_local_is_at_a_port_of_its_own_and_on_this_machine(
    camp: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEGIO_CONSOLE_PUBLIC_URL", "https://camp.example.org")
    monkeypatch.setenv("LEGIO_CONSOLE_PORT", "0")
    monkeypatch.setenv("LEGIO_LOCAL_PORT", "4711")
    castra = Castra(camp.parent / "castra")
    asyncio.run(opened(castra.root / DATABASE))
    with hold(castra.lock):
        assert main(["login", "--local", "--config", str(camp)]) == 0
        assert shown(capsys)[0] == "http://127.0.0.1:4711"
        monkeypatch.setenv("LEGIO_LOCAL_PORT", "0")
        assert main(["login", "--local", "--config", str(camp)]) == 1
    assert capsys.readouterr().err == (
        "legio: [local] port: it is 0, and which port is taken then is known to nobody else. Set a port and"
        " start Legio anew; it prints a link.\n"
    )


def test_without_a_running_legio_there_is_nothing_to_open(camp: Path, capsys: Shown) -> None:
    assert main(["login", "--config", str(camp)]) == 1
    assert capsys.readouterr().err == (
        f"legio: {camp.parent}/castra: no such Legio is running. Start one; for that of `legio local` add"
        " --local.\n"
    )


def test_without_a_console_neither(camp: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGIO_CONSOLE_PORT", "0")
    assert main(["login", "--config", str(camp)]) == 1
    assert capsys.readouterr().err == (
        "legio: [console] port: the console is not served: it is 0. Set a port, and restart Legio.\n"
    )
