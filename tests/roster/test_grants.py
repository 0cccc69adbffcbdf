"""What prompts grant: servers that have to be there, and tools that may be misspelt."""

import pytest

from legio.errors import ProfileError
from legio.roster import Profile
from legio.roster.grants import KNOWN, allows, doubts, servers


def profile(*tools: str, asks: tuple[str, ...] = ()) -> Profile:
    return Profile("pullo", "builds", "You build.", tools=tools, asks=asks)


def test_a_server_is_granted_whole_or_by_one_of_its_tools_and_named_once() -> None:
    granted = profile("Read", "mcp__hub__look", "mcp__hub__list", asks=("mcp__search", "mcp__hub"))
    assert servers(granted, {"hub", "search", "other"}) == ("hub", "search")
    assert servers(profile("Read"), ()) == ()


def test_a_server_that_is_not_configured_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(
        ProfileError, match=r"pullo: there is no MCP server 'githb' in legio\.toml\. Did you mean"
    ):
        servers(profile("mcp__githb"), {"github"})
    with pytest.raises(ProfileError, match=r"Write a table \[mcp.hub\]"):
        servers(profile(asks=("mcp__hub__look",)), ())


def test_a_tool_that_the_cli_is_not_known_to_have_is_doubted_with_the_nearest_one() -> None:
    assert list(doubts(profile("Raed", "Read", "mcp__any", asks=("bash",)))) == [
        "pullo: the CLI is not known to have a tool 'Raed'. Did you mean 'Read'?",
        "pullo: the CLI is not known to have a tool 'bash'. Did you mean 'Bash'?",
    ]
    assert list(doubts(profile(*KNOWN))) == []


def test_a_grant_says_what_it_allows() -> None:
    assert allows("Read") == "reads files in his own folder"
    assert allows("mcp__hub") == "uses every tool of the server hub"
    assert allows("mcp__hub__look_up") == "uses look_up of the server hub"
    assert allows("Raed") == "is not known to do anything with it"
