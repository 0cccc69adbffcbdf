"""Servers beside Legio, as the CLI is told of them: no secret on a command line."""

import json
from dataclasses import replace
from pathlib import Path

from claude_agent_sdk import SystemMessage

from legio.claude import external
from legio.ports import Server
from tests.claude.line import brief

KEY = ("ANTHROPIC_API_KEY", "the model's")
GITHUB = Server(command="/bin/github", args=("--all",), variables={"GITHUB_TOKEN": "the hub's"})
SEARCH = Server(
    url="https://search.example.org/mcp",
    headers={"Authorization": "SEARCH_AUTHORIZATION"},
    variables={"SEARCH_AUTHORIZATION": "Bearer s"},
)


def test_a_command_is_given_its_variables_by_name_and_the_models_credential_never(tmp_path: Path) -> None:
    ordered = replace(brief(tmp_path), external={"github": GITHUB})
    assert external.servers(ordered, KEY) == {
        "github": {
            "type": "stdio",
            "command": "/bin/github",
            "args": ["--all"],
            "env": {"ANTHROPIC_API_KEY": "", "GITHUB_TOKEN": "${GITHUB_TOKEN}"},
        }
    }


def test_an_address_is_given_its_headers_by_name(tmp_path: Path) -> None:
    ordered = replace(brief(tmp_path), external={"search": SEARCH})
    assert external.servers(ordered, None) == {
        "search": {
            "type": "http",
            "url": "https://search.example.org/mcp",
            "headers": {"Authorization": "${SEARCH_AUTHORIZATION}"},
        }
    }


def test_the_cli_alone_knows_the_values_and_no_command_sees_them(tmp_path: Path) -> None:
    ordered = replace(brief(tmp_path), external={"github": GITHUB, "search": SEARCH})
    assert external.variables(ordered) == {"GITHUB_TOKEN": "the hub's", "SEARCH_AUTHORIZATION": "Bearer s"}
    assert external.secret_names(ordered, KEY) == {
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "SEARCH_AUTHORIZATION",
    }
    assert external.secret_names(brief(tmp_path), None) == frozenset()
    assert "the hub's" not in json.dumps(external.servers(ordered, KEY)) + repr(ordered)


def test_what_the_cli_could_not_start_is_known_by_name() -> None:
    servers = [{"name": "hub", "status": "failed"}, {"name": "search", "status": "connected"}]
    assert external.failed(SystemMessage("init", {"mcp_servers": servers})) == ("hub",)
    assert external.failed(SystemMessage("init", {})) == ()
    assert external.failed(SystemMessage("api_retry", {"mcp_servers": servers})) == ()
