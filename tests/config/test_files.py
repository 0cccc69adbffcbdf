import pytest

from legio.config.files import FileCommand, MediaTypes
from legio.config.rules import Rule, Wrong


@pytest.mark.parametrize(
    ("rule", "raw", "value"),
    [
        (MediaTypes(), "*/*", "*/*"),
        (
            MediaTypes(),
            "  image/*   application/vnd.ms-excel ",
            "image/* application/vnd.ms-excel",
        ),
        (FileCommand(), "whisper-cli {file}", "whisper-cli {file}"),
        (FileCommand(), "python 'my ear.py' --in={file}", "python 'my ear.py' --in={file}"),
    ],
)
def test_what_keeps_the_rule_is_read(rule: Rule, raw: str, value: str) -> None:
    assert rule.read(raw) == value


@pytest.mark.parametrize(
    ("rule", "raw", "what"),
    [
        (MediaTypes(), "", "found the text"),
        (MediaTypes(), 7, "found the number 7"),
        (MediaTypes(), "image/* pdf", "'pdf' is no media type."),
        (FileCommand(), True, "found true"),
        (FileCommand(), "whisper-cli", "it does not say where the file's path belongs."),
        (FileCommand(), "{file}", "it does not say where the file's path belongs."),
        (FileCommand(), "whisper '{file}", "a quotation mark in it is not closed."),
    ],
)
def test_what_breaks_it_is_refused_and_the_rule_is_named(rule: Rule, raw: object, what: str) -> None:
    wrong = rule.read(raw)
    assert isinstance(wrong, Wrong)
    assert wrong.what.startswith(what)
    assert wrong.remedy
