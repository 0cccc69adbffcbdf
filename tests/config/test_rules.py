import math
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.config.rules import Choice, Number, Rule, Text, Whole, Wrong, Zone, found, of_text, shortened

TOML = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("rule", "raw", "value"),
    [
        (Whole(2, 9), 2, 2),
        (Whole(2, 9), 9, 9),
        (Number(60), 0.5, 0.5),
        (Number(60), 60, 60.0),
        (Number(60, off=True), 0, 0.0),
        (Text(), " opus ", "opus"),
        (Text(), "folded\n", "folded"),
        (Text(), "👨\u200d👩 family", "👨\u200d👩 family"),
        (Choice(("a", "b")), "b", "b"),
        (Zone(), "Europe/Zurich", "Europe/Zurich"),
    ],
)
def test_a_value_that_keeps_the_rule_is_read(rule: Rule, raw: object, value: object) -> None:
    assert rule.read(raw) == value


@pytest.mark.parametrize(
    ("rule", "raw", "what", "remedy"),
    [
        (Whole(2, 9), 1, "found the number 1.", "Expected is a whole number from 2 to 9."),
        (Whole(0, 1), True, "found true.", "Expected is a whole number from 0 to 1."),
        (Whole(2, 9), 2.0, "found the number 2.0.", "Expected is a whole number from 2 to 9."),
        (Whole(2, 9), "3", 'found the text "3".', "Write it without quotes: 3."),
        (Whole(2, 9), [3], "found a list.", "Expected is a whole number from 2 to 9."),
        (Number(60), 0, "found the number 0.", "Expected is a number above 0, at most 60."),
        (Number(60), math.nan, "found the number nan.", "Expected is a number above 0, at most 60."),
        (Number(60), math.inf, "found the number inf.", "Expected is a number above 0, at most 60."),
        (Number(60), True, "found true.", "Expected is a number above 0, at most 60."),
        (Number(60, off=True), -1, "found the number -1.", "Expected is a number from 0 to 60."),
        (Number(60, off=True), False, "found false.", "Expected is a number from 0 to 60."),
        (Text(9), "", 'found the text "".', "Expected is a text of 1 to 9 characters on one line."),
        (Text(9), "a\nb", r'found the text "a\nb".', "Expected is a text of 1 to 9 characters on one line."),
        (
            Text(9),
            "\ud800",
            r'found the text "\ud800".',
            "Expected is a text of 1 to 9 characters on one line.",
        ),
        (Text(9), "x" * 10, "found 10 characters.", "Expected is a text of 1 to 9 characters on one line."),
        (Text(9), {}, "found a table.", "Expected is a text of 1 to 9 characters on one line."),
        (Choice(("a", "b")), "A", 'found the text "A".', 'Expected is one of "a", "b".'),
        (
            Zone(),
            "Zurich",
            'found the text "Zurich".',
            'Expected is a time zone such as "Europe/Zurich".',
        ),
        (Zone(), 1, "found the number 1.", 'Expected is a time zone such as "Europe/Zurich".'),
        (Choice(("a", "b")), date(2026, 1, 2), "found a date.", 'Expected is one of "a", "b".'),
    ],
)
def test_a_refusal_says_what_was_found_and_what_to_do(
    rule: Rule, raw: object, what: str, remedy: str
) -> None:
    assert rule.read(raw) == Wrong(what, remedy)


@pytest.mark.parametrize(
    ("rule", "text", "raw"),
    [
        (Whole(0, 9), " 7 ", 7),
        (Whole(0, 9), "-7", -7),
        (Whole(0, 9), "seven", "seven"),
        (Whole(0, 9), "7_0", "7_0"),
        (Number(9), "0.5", 0.5),
        (Number(9), "5", 5.0),
        (Number(9), "nan", "nan"),
        (Text(), "7", "7"),
    ],
)
def test_a_variables_text_is_taken_as_the_file_would_hold_it(rule: Rule, text: str, raw: object) -> None:
    assert of_text(rule, text) == raw


def test_a_long_text_is_shown_shortened() -> None:
    assert shortened("x" * 100) == '"' + "x" * 60 + '…"'


def test_a_secret_is_never_shown() -> None:
    assert found("sk-ant-api03-abc") == "a secret"


@settings(deadline=None)
@given(TOML, st.sampled_from([Whole(1, 5), Number(5), Text(), Choice(("a",))]))
def test_no_value_breaks_a_rule(raw: object, rule: Rule) -> None:
    value = rule.read(raw)

    assert isinstance(value, Wrong) or value == (raw.strip() if isinstance(raw, str) else raw)
