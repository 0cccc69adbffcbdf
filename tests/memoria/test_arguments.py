"""How the tools' arguments are read, and what their schemas allow."""

from collections.abc import Mapping

import jsonschema
import pytest

from legio.memoria.arguments import DRAFT, LISTING, NAMED, PART, containing, part, text, tool


async def run(_: Mapping[str, object]) -> str:
    return "done"


def test_a_tools_schema_is_closed_and_says_what_is_needed() -> None:
    made = tool("act", "Acts.", run, required=NAMED, optional=PART)
    schema = dict(made.schema)
    assert (made.name, made.description, schema["required"]) == ("act", "Acts.", ["name"])
    jsonschema.validate({"name": "a", "part": 2}, schema)
    for wrong in ({}, {"name": "a", "other": 1}, {"name": "a", "part": 0}, {"name": "a" * 65}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_a_tool_without_arguments_takes_none() -> None:
    assert tool("act", "Acts.", run).schema["properties"] == {}


@pytest.mark.parametrize("empty", [{"title": "", "text": "x"}, {"title": "x", "text": ""}, {"title": "x"}])
def test_a_draft_has_a_title_and_a_text(empty: dict[str, str]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(empty, dict(tool("act", "Acts.", run, required=DRAFT).schema))


def test_arguments_are_read_with_what_stands_for_a_missing_one() -> None:
    assert text({"name": "a"}, "name") == "a"
    assert (containing({}), containing({"containing": "x"})) == ("", "x")
    assert (part({}), part({"part": 3})) == (1, 3)
    assert "containing" in LISTING
