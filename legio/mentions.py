"""Whom a text addresses: every `@name` that is meant as one, and none that merely looks like one.

An address at a mail host, a path, a URL and code hold an `@` that addresses nobody, and `\\@name` speaks of
somebody without addressing him. Who then hears the text is the Legatus's business.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from legio.nuntius import ALL, CAESAR, LEGATUS, distinct

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_TICKS = re.compile(r"(?<!\\)`+")
_URL = re.compile(r"[a-z][a-z0-9+.-]{0,15}://\S+", re.IGNORECASE)

_TOKEN = re.compile(r"[\w.+%=&#$~@/\\-]+")
"""All that may stand in one mail address or path, so that it is judged as a whole."""

_BEFORE = "._~+=&#$%-"
"""What may stand between a space and a mention: emphasis, a dash, the dots of a pause."""

_ESCAPE = re.compile(r"\\[\w@]")
"""An escaped sign, or a step of a path on Windows."""

_NAME = re.compile(r"[^\W\d_][\w-]*")
_LONGEST_NAME = 32

_NAME_MAY_END = re.compile(r"[_-]*$|[_-]{2}|(?<=[_-])[_-]")
"""Where a known name may end within a longer word: before separators at its end, or before two of them."""

_STYLES = frozenset("\ufe0e\ufe0f\u20e3")
"""Combining marks that style the sign before them, mostly an emoji, and make no letter of it."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """The names mentioned, lower-cased, each once, in the order of first mention.

    `addressed` are agents, or "all"; `unknown` are names that nobody bears.
    """

    addressed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def find(text: str, known: Collection[str]) -> Mentions:
    """The mentions in `text`; `known` are the centuriones' names, beside which "legatus" and "all" work."""
    agents = frozenset(known) | {LEGATUS, ALL}
    tokens = [token for prose in _prose(_marks_as_letters(text)) for token in _TOKEN.findall(prose)]
    names = [name for token in tokens if "@" in token for name in _mentioned(token, agents)]
    return Mentions(
        addressed=distinct(name for name in names if name in agents),
        unknown=distinct(name for name in names if name not in agents and name != CAESAR),
    )


def _marks_as_letters(text: str) -> str:
    """`text` with a letter for each combining mark, as "é" may be written as two signs."""
    return "".join(
        "é" if unicodedata.category(sign)[0] == "M" and sign not in _STYLES else sign for sign in text
    )


# --- what is prose ------------------------------------------------------------------------------------


def _prose(text: str) -> Iterator[str]:
    """The paragraphs of `text` without code and URLs."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for paragraph in _paragraphs(lines):
        yield _URL.sub(" ", _without_inline_code(paragraph))


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """The paragraphs outside of fenced code; a fence that is never closed reaches to the end."""
    closing: re.Pattern[str] | None = None
    paragraph: list[str] = []
    for line in lines:
        opening = _FENCE.match(line) if closing is None else None
        if closing is not None:
            closing = None if closing.fullmatch(line) else closing
        elif opening is None and line.strip():
            paragraph.append(line)
        else:
            yield "\n".join(paragraph)
            paragraph = []
            closing = _closing(opening["fence"]) if opening else None
    yield "\n".join(paragraph)


def _closing(fence: str) -> re.Pattern[str]:
    return re.compile(rf"[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*")


def _without_inline_code(paragraph: str) -> str:
    """`paragraph` with a blank for each piece between two equal runs of backticks."""
    kept = []
    position = 0
    while ticks := _TICKS.search(paragraph, position):
        kept.append(paragraph[position : ticks.start()])
        closing = re.compile(rf"(?<!`){ticks[0]}(?!`)").search(paragraph, ticks.end())
        kept.append(" " if closing else ticks[0])
        position = closing.end() if closing else ticks.end()
    return "".join([*kept, paragraph[position:]])


# --- what is a mention --------------------------------------------------------------------------------


def _mentioned(token: str, agents: Collection[str]) -> Iterator[str]:
    """The names in a token, unless it is a path, a mail address or escaped: then none."""
    if _ESCAPE.search(token):
        return
    if "/" in token:
        # "@vorenus/@pullo" is no path: every step of it is a mention.
        steps = [step.lstrip(_BEFORE) for step in token.split("/")]
        parts = steps if all(step.startswith("@") for step in steps) else []
    else:
        # "Done.@vorenus": a sentence ended there, as no mail address has a dot before its @.
        parts = [part.lstrip(_BEFORE) for part in re.split(r"(?<=\.)(?=@)", token)]
    for part in parts:
        if part.startswith("@"):
            yield from _chained(part, agents)


def _chained(part: str, agents: Collection[str]) -> Iterator[str]:
    """The names in "@one" or "@one@two"; the latter counts only if all are known: else it is a handle."""
    names = [_name(piece, agents) for piece in part.split("@")[1:]]
    if len(names) == 1 or all(name in agents for name in names):
        yield from filter(None, names)


def _name(piece: str, agents: Collection[str]) -> str:
    """The name that a piece begins with, or "": the longest known one, else the word without its end.

    "@vorenus_" and "@vorenus--see" are vorenus; "@vorenus-2" is not.
    """
    match = _NAME.match(piece)
    if match is None:
        return ""
    word = match[0].lower()
    for end in range(min(len(word), _LONGEST_NAME), 0, -1):
        if word[:end] in agents and _NAME_MAY_END.match(word, end):
            return word[:end]
    return re.split(r"[_-]{2,}|[_-]$", word)[0]
