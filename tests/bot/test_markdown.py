"""What the parser would lose is escaped, and nothing else is touched."""

import pytest

from legio.bot.markdown import Edit, Unsettled, edited, settled


@pytest.mark.parametrize(
    "markdown",
    [
        "**a** *b* `c` [d](http://e.org) <http://e.org>",
        "```sh\nfind . \\( -a-b \\) || x <y>\n```",
        "    $HOME/$USER <x> || [y]: z",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "```\n```",
        "[a]\n\n[a]: http://e.org",
    ],
)
def test_good_markdown_and_code_stay_as_they_are(markdown: str) -> None:
    assert settled(markdown) == markdown


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("<user>", "\\<user>"),
        ("a <b>", "a \\<b>"),
        ("<div>\n`<x>`\n</div>", "\\<div>\n`<x>`\n\\</div>"),
        ("2*3*4", "2\\*3\\*4"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("$A/$B", "\\$A/\\$B"),
        ("a||b", "a\\||b"),
        ("[INFO]: x\n\n[info]: y", "\\[INFO]: x\n\n\\[info]: y"),
        ("![a](b.png)", "!\\[a](b.png)"),
        ("```py", "\\`\\`\\`py"),
        ("\\(x^2\\) \\(plain\\)", "$x^2$ \\(plain\\)"),
        ("|a|b|\n|-|-|\n|<br>|| 2|", "|a|b|\n|-|-|\n| / | | 2|"),
    ],
)
def test_what_would_be_lost_is_escaped(markdown: str, result: str) -> None:
    assert settled(markdown) == result


def test_a_log_of_a_thousand_like_lines_settles_at_once() -> None:
    assert settled("[INFO]: up\n\n" * 1000) == "\\[INFO]: up\n\n" * 1000


def test_a_text_that_does_not_settle_is_refused() -> None:
    with pytest.raises(Unsettled):
        settled("\n\n".join(f"[a{' ' * spaces}b]: c" for spaces in range(1, 60)))


def test_of_overlapping_edits_the_earlier_one_is_done() -> None:
    edits = [Edit(2, 3, b"x"), Edit(0, 3, b"y"), Edit(3, 3, b"z")]
    assert edited(b"abcd", edits) == b"yzd"
