import pytest

from legio.claude.tools import plain_name


@pytest.mark.parametrize(
    ("offered", "plain"),
    [
        ("mcp__memoria_vorenus__list_acta", "list_acta"),
        ("mcp__legatus__dispatch_to_centurio", "dispatch_to_centurio"),
        ("mcp__a__b__c", "b__c"),
        ("mcp__odd", "mcp__odd"),
        ("Bash", "Bash"),
    ],
)
def test_a_tool_is_known_by_its_plain_name(offered: str, plain: str) -> None:
    assert plain_name(offered) == plain
