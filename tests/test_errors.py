import inspect
import re

from legio import errors
from legio.errors import ConfigurationError, LegioError, Problem


def test_a_message_says_where_what_and_what_to_do() -> None:
    error = LegioError("this is no file.", where="castra/prompt.md", remedy="Put it right.")

    assert str(error) == "castra/prompt.md: this is no file. Put it right."


def test_a_message_may_be_one_sentence() -> None:
    assert str(LegioError("it is too late.")) == "it is too late."


def test_all_problems_of_a_configuration_are_in_one_message() -> None:
    problems = (
        Problem("model", "found a list.", "Write a text."),
        Problem("LEGIO_MODLE", "there is no such variable.", "Did you mean 'LEGIO_MODEL'?"),
    )

    error = ConfigurationError(problems, where="legio.toml")

    assert error.problems == problems
    assert str(error) == (
        "legio.toml: the configuration cannot be used:\n"
        "  - model: found a list. Write a text.\n"
        "  - LEGIO_MODLE: there is no such variable. Did you mean 'LEGIO_MODEL'?"
    )


def test_the_tree_drawn_in_the_docstring_is_the_tree() -> None:
    drawn: dict[str, str] = {}
    above: list[str] = []
    for bars, name in re.findall(r"^    ([│├└─ ]*)(\w+) {2,}\S", errors.__doc__ or "", re.MULTILINE):
        depth = len(bars) // 4
        above[depth:] = [name]
        drawn[name] = above[depth - 1] if depth else "Exception"

    real = {
        name: error.__bases__[0].__name__
        for name, error in inspect.getmembers(errors, inspect.isclass)
        if issubclass(error, Exception) and error.__module__ == errors.__name__
    }
    assert drawn == real
