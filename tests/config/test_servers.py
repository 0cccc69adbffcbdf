"""The tables `[mcp.NAME]`: what they may hold, and that no secret stands in them."""

from pathlib import Path

import pytest

from legio.config import Secrets, ServerConfig, load, read
from legio.errors import ConfigurationError

HUB = """
[mcp.hub]
command = "hub-server"
args = ["--all", "repositories"]
env = ["HUB_TOKEN", "HUB_TOKEN"]
[mcp.search]
url = "https://search.example.org/mcp/"
headers = { Authorization = "SEARCH_AUTHORIZATION" }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "legio.toml"


def problems(path: Path, text: str, environ: dict[str, str] | None = None) -> list[str]:
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        read(path, environ or {})
    return [str(problem) for problem in caught.value.problems]


def test_a_command_and_an_address_are_read(path: Path) -> None:
    path.write_text(HUB)
    hub, search = load(path, {}).mcp["hub"], load(path, {}).mcp["search"]
    assert hub == ServerConfig(command="hub-server", args=("--all", "repositories"), env=("HUB_TOKEN",))
    assert search == ServerConfig(
        url="https://search.example.org/mcp", headers={"Authorization": "SEARCH_AUTHORIZATION"}
    )
    assert (hub.variables, search.variables) == (("HUB_TOKEN",), ("SEARCH_AUTHORIZATION",))


def test_a_command_that_is_a_path_starts_from_the_file_and_never_from_a_workspace(path: Path) -> None:
    path.write_text('[mcp.a]\ncommand = "tools/server"\n[mcp.b]\ncommand = "/bin/server"\n')
    servers = load(path, {}).mcp
    assert servers["a"].command == str(path.parent / "tools/server")
    assert servers["b"].command == "/bin/server"


def test_the_variables_are_taken_out_of_the_environment(path: Path, tmp_path: Path) -> None:
    path.write_text(HUB)
    (tmp_path / "header").write_text("Bearer 7\n")
    environ = {"HUB_TOKEN": "seven", "SEARCH_AUTHORIZATION_FILE": str(tmp_path / "header"), "OTHER": "stays"}
    _, secrets = read(path, environ)
    assert secrets.of_servers == {"HUB_TOKEN": "seven", "SEARCH_AUTHORIZATION": "Bearer 7"}
    assert environ == {"OTHER": "stays"}
    assert {"seven", "Bearer 7"} <= set(secrets.values())
    assert "seven" not in f"{secrets} {secrets!r}"
    assert Secrets().of_servers == {}


def test_a_variable_that_is_missing_concerns_its_server_alone(path: Path) -> None:
    path.write_text(HUB)
    _, secrets = read(path, {"HUB_TOKEN": "seven", "SEARCH_AUTHORIZATION": " "})
    assert secrets.of_servers == {"HUB_TOKEN": "seven"}


def test_a_variable_that_cannot_be_used_is_told(path: Path, tmp_path: Path) -> None:
    assert problems(path, HUB, {"SEARCH_AUTHORIZATION": "a\tb"}) == [
        "SEARCH_AUTHORIZATION: it holds line ends or control characters. Give it alone."
    ]
    (unreadable,) = problems(path, HUB, {"HUB_TOKEN_FILE": str(tmp_path / "none")})
    assert unreadable.startswith("HUB_TOKEN_FILE: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mcp = 7", "mcp: found the number 7. Begin a table for each server: [mcp.NAME]."),
        ("[mcp]\nhub = 7", "[mcp] hub: found the number 7. Begin a table for each server: [mcp.NAME]."),
        (
            "[mcp.Hub]\ncommand='x'",
            "[mcp.Hub]: no server can bear this name. Use 1 to 32 of a-z, 0-9, '-' and",
        ),
        ("[mcp.a__b]\ncommand='x'", "[mcp.a__b]: no server can bear this name."),
        ("[mcp.legatus]\ncommand='x'", "[mcp.legatus]: no server can bear this name."),
        ("[mcp.memoria_pullo]\ncommand='x'", "[mcp.memoria_pullo]: no server can bear this name."),
        ("[mcp.a]", "[mcp.a]: it needs either a command or a url."),
        ("[mcp.a]\ncommand='x'\nurl='https://a.org'", "[mcp.a]: it needs either a command or a url."),
        ("[mcp.a]\nurl='https://a.org'\nargs=['x']", "[mcp.a]: args and env are for a command."),
        ("[mcp.a]\ncommand='x'\nheaders={A='B'}", "[mcp.a]: headers are for a url."),
        ("[mcp.a]\ncomand='x'", "[mcp.a] comand: there is no such key. Did you mean 'command'?"),
        ("[mcp.a]\ncommand=7", "[mcp.a] command: found the number 7."),
        ("[mcp.a]\ncommand='x'\nargs='y'", '[mcp.a] args: found the text "y". Expected is a list of texts'),
        ("[mcp.a]\ncommand='x'\nargs=['sk-ant-7']", "[mcp.a] args: a secret does not belong here."),
        ("[mcp.a]\ncommand='x'\nenv=['A=b']", "[mcp.a] env: it does not hold names of variables alone."),
        ("[mcp.a]\ncommand='x'\nenv=['LEGIO_A']", "[mcp.a] env: it does not hold names of variables alone."),
        ("[mcp.a]\ncommand='x'\nenv=['A_FILE']", "[mcp.a] env: it does not hold names of variables alone."),
        (
            "[mcp.a]\nurl='http://a.org'",
            '[mcp.a] url: found the text "http://a.org", which is not encrypted.',
        ),
        (
            "[mcp.a]\nurl='https://a.org'\nheaders={A='Bearer 7'}",
            "[mcp.a] headers: it does not map headers to",
        ),
        ("[mcp.a]\nurl='https://a.org'\nheaders='x'", "[mcp.a] headers: it does not map headers to names"),
        ("[mpc.a]\ncommand='x'", "mpc: there is no such key. Did you mean 'mcp'?"),
    ],
)
def test_what_cannot_be_is_refused_with_place_and_remedy(path: Path, text: str, said: str) -> None:
    first, *_ = problems(path, text)
    assert first.startswith(said)
    assert "Bearer 7" not in first
