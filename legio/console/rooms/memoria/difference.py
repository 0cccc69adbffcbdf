"""Two texts laid beside each other, line by line, and within changed lines word by word.

Bounded in time: what is too large or too much changed to be compared is shown whole, as gone and as new.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypedDict

CONTEXT_LINES = 3
MOST_LINES = 3_000
"""More changed lines on one side are not compared with each other: that could take minutes."""
LONGEST_LINE = 4_000
"""A longer line is not compared word by word."""
MOST_CHARACTERS = 100_000
"""So much is compared word by word in all; what comes after it line by line alone."""
MOST_PAIRS = 20_000
"""Of equal words, or of equal lines: with more of them two lines, or two texts, are not compared, as that
takes so many steps for each place where they agree. Of long texts `SequenceMatcher` leaves out the commonest
lines, such as empty ones."""
ALIKE = 0.4
"""Lines that have less in common are two lines, not one that was changed."""

_WORDS = re.compile(r"\s*\w+|\s*[^\w\s]|\s+")


class Line(TypedDict):
    """A line: `kind` is same, gone, new or skipped (`lines` of them). In `parts` the odd ones are marked."""

    kind: str
    parts: list[str]
    lines: int


def difference(before: str, after: str) -> list[Line]:
    """What became of `before`, with a few lines around each change; nothing where they are equal."""
    if before == after:
        return []
    old, new = before.split("\n"), after.split("\n")
    lines: list[Line] = []
    words = _Words()
    opcodes = list(_opcodes(old, new))
    for number, (tag, start, end, other, last) in enumerate(opcodes):
        if tag == "equal":
            lines += _context(old[start:end], first=number == 0, last=number == len(opcodes) - 1)
        else:
            lines += _changed(old[start:end], new[other:last], words)
    return lines


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """As of `SequenceMatcher`, which is spared what both texts begin and end with."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    end, last = len(old) - tail, len(new) - tail
    if head:
        yield "equal", 0, head, 0, head
    if max(end, last) - head > MOST_LINES or _line_pairs(old[head:end], new[head:last]) > MOST_PAIRS:
        yield "replace", head, end, head, last
    else:
        matcher = SequenceMatcher(None, old[head:end], new[head:last])
        for tag, *places in matcher.get_opcodes():
            start, until, other, to = (head + place for place in places)
            yield tag, start, until, other, to
    if tail:
        yield "equal", end, len(old), last, len(new)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal lines both begin."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _pairs(one: Sequence[str], other: Sequence[str]) -> int:
    """How many pairs of equals there are."""
    here, there = Counter(one), Counter(other)
    return sum(number * there[each] for each, number in here.items())


def _line_pairs(one: Sequence[str], other: Sequence[str]) -> int:
    """As `_pairs`, without the lines that `SequenceMatcher` leaves out as too common."""
    there = Counter(other)
    common = {each for each, number in there.items() if len(other) >= 200 and number > len(other) // 100 + 1}
    return _pairs([each for each in one if each not in common], other)


def _context(same: Sequence[str], *, first: bool, last: bool) -> list[Line]:
    before = 0 if first else CONTEXT_LINES
    after = 0 if last else CONTEXT_LINES
    left_out = len(same) - before - after
    if left_out <= 1:  # a line in the place of a line says more
        return [_line("same", [each]) for each in same]
    return [
        *(_line("same", [each]) for each in same[:before]),
        Line(kind="skipped", parts=[], lines=left_out),
        *(_line("same", [each]) for each in same[len(same) - after :]),
    ]


def _changed(gone: Sequence[str], come: Sequence[str], words: "_Words") -> list[Line]:
    """First what is gone, then what came; the first of these is taken for the first of those made anew."""
    paired = min(len(gone), len(come))
    pairs = [words.compare(old, new) for old, new in zip(gone, come, strict=False)]
    return [
        *(_line("gone", parts) for parts, _ in pairs),
        *(_line("gone", ["", each]) for each in gone[paired:]),
        *(_line("new", parts) for _, parts in pairs),
        *(_line("new", ["", each]) for each in come[paired:]),
    ]


class _Words:
    """Compares lines word by word, as long as that takes no time."""

    def __init__(self) -> None:
        self._left = MOST_CHARACTERS

    def compare(self, old: str, new: str) -> tuple[list[str], list[str]]:
        """Both lines in parts, of which every other one is marked; the whole where they are not alike."""
        self._left -= len(old) + len(new)
        if self._left < 0 or max(len(old), len(new)) > LONGEST_LINE:
            return ["", old], ["", new]
        one, other = _WORDS.findall(old), _WORDS.findall(new)
        if _pairs(one, other) > MOST_PAIRS:
            return ["", old], ["", new]
        matcher = SequenceMatcher(None, one, other, autojunk=False)
        if matcher.quick_ratio() < ALIKE or matcher.ratio() < ALIKE:
            return ["", old], ["", new]
        gone, come = [""], [""]
        for tag, start, end, first, last in matcher.get_opcodes():
            _add(gone, "".join(one[start:end]), marked=tag != "equal")
            _add(come, "".join(other[first:last]), marked=tag != "equal")
        return gone, come


def _add(parts: list[str], text: str, *, marked: bool) -> None:
    if not text:
        return
    if (len(parts) % 2 == 0) is marked:
        parts[-1] += text
    else:
        parts.append(text)


def _line(kind: str, parts: list[str]) -> Line:
    return Line(kind=kind, parts=parts, lines=1)
