import jsonschema
import pytest

from legio.ports import takes

WORD = {"type": "string", "minLength": 1}
SCHEMA = takes(optional=("caption",), path=WORD, caption=WORD)


@pytest.mark.parametrize("arguments", [{"path": "a"}, {"path": "a", "caption": "b"}])
def test_a_tool_takes_what_it_names(arguments: dict[str, object]) -> None:
    jsonschema.validate(arguments, SCHEMA)


@pytest.mark.parametrize("arguments", [{}, {"caption": "b"}, {"path": "a", "owner": "pullo"}, {"path": ""}])
def test_a_tool_takes_nothing_less_and_nothing_else(arguments: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(arguments, SCHEMA)


def test_a_tool_that_takes_nothing_is_offered_so() -> None:
    assert takes() == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
