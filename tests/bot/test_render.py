"""The corpus of hard Markdown, and what must hold for any text at all."""

from dataclasses import asdict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from telegram import MessageEntity

from legio.bot.piece import ENTITIES, TEXT_UNITS, utf16_length
from legio.bot.render import RULE, Entity, Piece, converted, cut, render
from tests.bot.pages import assert_valid, covered, missing
from tests.local.botapi.rig import OWNER, rig
from tests.scenes import scene


def styles(piece: Piece) -> list[tuple[str, str]]:
    return [(entity.type, covered(piece, entity)) for entity in piece.entities]


def one(markdown: str) -> Piece:
    (piece,) = render(markdown)
    return piece


# --- the hard cases: what is written, what is shown, and its entities ---

CORPUS: list[tuple[str, str, str, list[tuple[str, str]]]] = [
    ("plain text", "Ave, Caesar.", "Ave, Caesar.", []),
    ("bold, italic, struck", "**a** *b* ~~c~~", "a b c",
     [("bold", "a"), ("italic", "b"), ("strikethrough", "c")]),
    ("nested styles", "**a *b* c**", "a b c", [("bold", "a b c"), ("italic", "b")]),
    ("bold and italic at once", "***a***", "a", [("bold", "a"), ("italic", "a")]),
    ("a heading", "# Rome\ntext", "Rome\ntext", [("bold", "Rome"), ("underline", "Rome")]),
    ("nested lists", "- a\n  - b\n    - c\n- d", "• a\n  • b\n    • c\n• d", []),
    ("a numbered list that starts late", "7. a\n8. b", "7. a\n8. b", []),
    ("a task list", "- [ ] a\n- [x] b", "☐ a\n☑ b", []),
    ("code in a list", "1. a\n\n   ```py\n   x\n   ```\n2. b", "1. a\nx\n2. b", [("pre", "x")]),
    ("an unclosed fence", "```py\nx = 1", "x = 1", [("pre", "x = 1")]),
    ("fences in fences", "````md\n```py\nx\n```\n````", "```py\nx\n```", [("pre", "```py\nx\n```")]),
    ("a tilde fence", "~~~\nx\n~~~", "x", [("pre", "x")]),
    ("indented code", "    if x:\n        y", "if x:\n    y", [("pre", "if x:\n    y")]),
    ("code with backticks", "``a`b``", "a`b", [("code", "a`b")]),
    ("a placeholder", "ask <user_id> now", "ask <user_id> now", []),
    ("inline HTML", "a <b>x</b> c", "a <b>x</b> c", []),
    ("block HTML", "<div>\n<p>x</p>\n</div>", "<div>\n<p>x</p>\n</div>", []),
    ("Markdown in block HTML", "<div>\n**b** `<q>`\n</div>", "<div>\nb <q>\n</div>",
     [("bold", "b"), ("code", "<q>")]),
    ("an HTML comment", "a <!-- b --> c", "a <!-- b --> c", []),
    ("HTML in code", "`<b>`\n\n```\n<i>\n```", "<b>\n\n<i>", [("code", "<b>"), ("pre", "<i>")]),
    ("a line break in HTML", "a<br>b<br/>c", "a\nb\nc", []),
    ("comparisons", "x < y, y > z, a<b>c", "x < y, y > z, a<b>c", []),
    ("a C++ name", "<std:string>", "<std:string>", []),
    ("HTML entities", "&lt;x&gt; &amp;", "<x> &", []),
    ("escaped signs", r"\*a\* \_b\_", "*a* _b_", []),
    ("a link with parentheses", "[a](http://e.org/x_(y))", "a", [("text_link", "a")]),
    ("a link around code", "[`a`](http://e.org)", "a", [("text_link", "a")]),
    ("a link to nowhere", "[a](b.md) [c]()", "[a](b.md) [c]()", []),
    ("a link that is a script", "[a](javascript:b)", "[a](javascript:b)", []),
    ("a bare address", "<http://e.org/a_b_c>", "http://e.org/a_b_c",
     [("text_link", "http://e.org/a_b_c")]),
    ("a mail address", "<a@e.org>", "a@e.org", []),
    ("a picture", "![a](http://e.org/b.png)", "🖼 a", [("text_link", "a")]),
    ("a picture without a name", "![](http://e.org/b.png)", "![](http://e.org/b.png)", []),
    ("a link by reference", "[a][1]\n\n[1]: http://e.org", "a", [("text_link", "a")]),
    ("a log line like a reference", "[INFO]: started", "[INFO]: started", []),
    ("a footnote", "a[^1]\n\n[^1]: note", "a[^1]\n\n[^1]: note", []),
    ("identifiers with underscores", "snake_case_name __init__", "snake_case_name __init__", []),
    ("a product", "2*3*4 and a*b*c", "2*3*4 and a*b*c", []),
    ("CJK bold", "这是**粗体**文字", "这是粗体文字", [("bold", "粗体")]),
    ("emoji under a style", "😀 **😀b** 👨‍👩‍👧 *c*", "😀 😀b 👨‍👩‍👧 c", [("bold", "😀b"), ("italic", "c")]),
    ("a quote", "> a\n> b\n\nc", "a\nb\n\nc", [("blockquote", "a\nb")]),
    ("a quote in a quote", "> a\n> > b", "a\nb", [("blockquote", "a\nb")]),
    ("bold around code", "**a `b` c**", "a b c", [("bold", "a "), ("code", "b"), ("bold", " c")]),
    ("a rule", "a\n\n---\n\nb", f"a\n\n{RULE}\n\nb", []),
    ("prices", "$5 and $6, US$7-US$8", "$5 and $6, US$7-US$8", []),
    ("shell variables", "$HOME/$USER", "$HOME/$USER", []),
    ("mathematics", r"$x^2$ \(\alpha\)", "x^2 α", [("code", "x^2"), ("code", "α")]),
    ("displayed mathematics", r"\[x^2\]", "x^2", [("pre", "x^2")]),
    ("escaped parentheses in a shell", "```sh\nfind \\( -a-b \\)\n```", "find \\( -a-b \\)",
     [("pre", "find \\( -a-b \\)")]),
    ("conditions", "a || b || c", "a || b || c", []),
    ("a file's name after the language", "```py title=a.py\nx\n```", "title=a.py\nx", [("pre", "x")]),
    ("a narrow table", "|a|b|\n|-|-|\n|1|2|", "a | b\n--+--\n1 | 2", [("pre", "a | b\n--+--\n1 | 2")]),
    ("a table with an empty cell", "|a|b|\n|-|-|\n||2|", "a | b\n--+--\n  | 2",
     [("pre", "a | b\n--+--\n  | 2")]),
    ("NUL and lone surrogates", "a\0b\ud800", "ab\ufffd", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("markdown", "text", "entities"), [pytest.param(*case[1:], id=case[0]) for case in CORPUS]
)
def test_hard_markdown_is_shown_as_it_was_meant(
    markdown: str, text: str, entities: list[tuple[str, str]]
) -> None:
    piece = one(markdown)
    assert (piece.text, styles(piece)) == (text, entities)


def test_a_code_block_keeps_its_language_and_a_link_its_target() -> None:
    piece = one("```python\nx\n```\n[a](http://e.org)")
    assert [(it.language, it.url) for it in piece.entities] == [("python", None), (None, "http://e.org")]


def test_the_language_and_the_rest_of_a_fence_line_are_told_apart_among_other_entities() -> None:
    piece = one("> **a** `b`\n> ```py title=😀.py\n> x\n> ```\n\n*c*")
    assert piece.text == "a b\ntitle=😀.py\nx\n\nc"
    assert styles(piece) == [
        ("blockquote", "a b\ntitle=😀.py\nx"), ("bold", "a"), ("code", "b"), ("pre", "x"), ("italic", "c"),
    ]  # fmt: skip
    assert [it.language for it in piece.entities if it.type == "pre"] == ["py"]


def test_what_the_parser_never_settles_on_is_shown_raw() -> None:
    stubborn = "\n\n".join(f"[a{' ' * spaces}b]: **c**" for spaces in range(1, 60))
    assert one(stubborn).text == stubborn


def test_a_text_that_would_vanish_is_shown_raw() -> None:
    assert converted("[a]: http://e.org").text == "[a]: http://e.org"


def test_nothing_gives_no_message() -> None:
    assert render("") == render(" \n ") == ()


# --- the strict server ---


@scene
async def test_a_strict_server_takes_the_whole_corpus_as_it_is() -> None:
    async with rig() as it:
        for name, markdown, *_ in CORPUS:
            for piece in render(markdown, f"vorenus — {name}"):
                entities = [MessageEntity(**asdict(entity)) for entity in piece.entities]
                await it.bot.send_message(OWNER, piece.text, entities=entities)
        assert not it.state.refused
        assert len(it.state.answers) == len(CORPUS)


# --- the heading ---


def test_the_heading_stands_in_bold_over_a_rule() -> None:
    (piece,) = render("*Ave.*", "⚔️ vorenus — research")
    assert piece.text == f"⚔️ vorenus — research\n{RULE}\nAve."
    assert styles(piece) == [("bold", "⚔️ vorenus — research"), ("italic", "Ave.")]


def test_the_heading_counts_in_the_first_message() -> None:
    pieces = render("x" * TEXT_UNITS, "vorenus")
    assert [utf16_length(piece.text) <= TEXT_UNITS for piece in pieces] == [True, True]


def test_a_heading_is_one_line_of_bounded_length() -> None:
    (piece,) = render("a", "vorenus —\n" + "long " * 200)
    assert piece.text.count("\n") == 2
    assert piece.text.split("\n")[0].endswith("…")


def test_an_empty_answer_shows_its_heading() -> None:
    assert [piece.text for piece in render("", "vorenus")] == [f"vorenus\n{RULE}"]


# --- cutting ---


def texts(piece: Piece, units: int, entities: int = ENTITIES) -> list[str]:
    return [part.text for part in cut(piece, units=units, entities=entities)]


def test_a_text_is_cut_at_a_blank_line_before_a_newline_and_at_that_before_a_space() -> None:
    assert texts(Piece("aaaa bb\n\ncc\nee ff"), 13) == ["aaaa bb", "cc\nee ff"]
    assert texts(Piece("aaa bb\ncc dd ee"), 12) == ["aaa bb", "cc dd ee"]
    assert texts(Piece("aaa bb cc dd"), 10) == ["aaa bb cc", "dd"]
    assert texts(Piece("abcdefgh"), 3) == ["abc", "def", "gh"]


def test_a_mark_in_the_first_half_does_not_cut_a_message_short() -> None:
    assert texts(Piece("a\n\nbbbbbbbbb cccc"), 13) == ["a\n\nbbbbbbbbb", "cccc"]


def test_a_hard_cut_never_splits_a_character() -> None:
    assert texts(Piece("😀😀😀"), 3) == ["😀", "😀", "😀"]


def test_code_is_cut_at_its_lines_and_goes_on_in_its_language_with_its_indentation() -> None:
    first, second = cut(Piece("ab:\n    cd\n    ef", (Entity("pre", 0, 17, None, "py"),)), units=12)
    assert (first.text, second.text) == ("ab:\n    cd", "    ef")
    assert first.entities == (Entity("pre", 0, 10, None, "py"),)
    assert second.entities == (Entity("pre", 0, 6, None, "py"),)


def test_a_blank_line_outside_of_code_is_preferred() -> None:
    piece = Piece("aaaaaa\n\nb\n\nc", (Entity("pre", 8, 4),))
    assert texts(piece, 11) == ["aaaaaa", "b\n\nc"]


def test_a_message_has_at_most_a_hundred_entities() -> None:
    pieces = render(" ".join(f"**word{n}**" for n in range(300)))
    assert [len(piece.entities) for piece in pieces] == [100, 100, 100]
    assert " ".join(piece.text for piece in pieces) == " ".join(f"word{n}" for n in range(300))


def test_ten_thousand_characters_are_cut_whole() -> None:
    paragraph = "The legion crossed the river at night, and nobody saw it. " * 5
    pieces = render("\n\n".join([paragraph.strip()] * 34))
    assert len(pieces) == 3
    assert all(piece.text.endswith("it.") for piece in pieces)


# --- what holds for any text ---

WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "Ωmega", "жук", "漢字", "x", "kappa_lambda"])
SIGNS = st.sampled_from([
    " ", " ", " ", "\n", "\n\n", "  \n", "*", "**", "_", "__", "~~", "`", "```", "```\n", "~~~\n", "> ",
    "- ", "+ ", "# ", "## ", "\n    ", "\n\t", "<", ">", "<b>", "</b>", "<br>", "<div>\n", "</div>",
    "<!--", "-->", "<user_id>", "<![CDATA[", "<?", "[", "]", "](", "](http://e.org/", "](c)", ")", "(",
    "[x]: ", "]: ", "![", "|", "||", "|\n", "\n|", "\n|-|-|\n", "| ", "\\", "\\|", "!", "😀", "👨‍👩‍👧",
    "---\n", "===\n", "- [ ] ", ":", '"', "http://e.org/a_b", "<http://e.org>", "<a@e.org>", "\r\n", "\0",
    "\ud800", "{", "}", "^", "=", ".", ",",
])  # fmt: skip
MARKDOWN = st.lists(st.one_of(WORDS, SIGNS), max_size=60).map("".join)


@settings(deadline=None, max_examples=400)
@given(MARKDOWN)
@example("| alpha | beta\n|-|-|\n| gamma | delta | omega |")
@example("> [x]: alpha\n> beta")
def test_no_text_is_lost(markdown: str) -> None:
    assert missing(markdown, render(markdown)) == ""


@settings(deadline=None, max_examples=300)
@given(MARKDOWN, st.integers(2, 60), st.integers(10, 20))
def test_pieces_keep_the_limits_and_their_entities_are_valid(markdown: str, units: int, most: int) -> None:
    for piece in cut(converted(markdown), units=units, entities=most):
        assert 0 < utf16_length(piece.text) <= units
        assert piece.text.strip()
        assert len(piece.entities) <= most
        assert_valid(piece)


@settings(deadline=None, max_examples=200)
@given(MARKDOWN, st.integers(2, 60))
def test_a_cut_drops_nothing_but_blank_space(markdown: str, units: int) -> None:
    whole = converted(markdown)
    parts = cut(whole, units=units)
    assert "".join("".join(part.text for part in parts).split()) == "".join(whole.text.split())


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=300))
def test_any_text_at_all_is_shown(text: str) -> None:
    for piece in render(text):
        assert_valid(piece)
