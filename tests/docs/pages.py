"""A page of the documentation as its parts: sections, tables, code blocks, links."""

import re
from collections.abc import Iterator

from tests.tree import ROOT, files

PAGES = [
    str(path) for path in files() if path.suffix == ".md" and path.parts[0] in ("docs", *path.parts[-1:])
]
"""The pages of `docs/` and those at the top of the repository."""

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def page(name: str) -> str:
    """The text of a page."""
    return (ROOT / name).read_text(encoding="utf-8")


def prose(name: str) -> str:
    """The text of a page without its code blocks."""
    return _FENCE.sub("", page(name))


def section(name: str, heading: str) -> str:
    """What stands under a heading, up to the next one of the same level or above."""
    level = len(heading) - len(heading.lstrip("#"))
    lines = page(name).splitlines()
    begin = lines.index(heading) + 1
    stop = re.compile(rf"#{{1,{level}}} ")
    end = next((at for at in range(begin, len(lines)) if stop.match(lines[at])), len(lines))
    return "\n".join(lines[begin:end])


def rows(text: str) -> list[tuple[str, ...]]:
    """The rows of the tables in a text, without their heads."""
    found = []
    lines = text.splitlines()
    for above, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|") and above.startswith("|") and not line.startswith("|---"):
            cells = re.split(r"(?<!\\)\|", line.strip("|"))  # a bar in a cell is written with a backslash
            found.append(tuple(cell.strip().replace("\\|", "|") for cell in cells))
    return found


def blocks(name: str, language: str) -> Iterator[str]:
    """The code blocks of a language."""
    for _, found, text in _FENCE.findall(page(name)):
        if found == language:
            yield text


def links(name: str) -> list[str]:
    """Where the links of a page lead, pictures included."""
    return _LINK.findall(prose(name))


def anchors(name: str) -> set[str]:
    """The fragments that a page's headings can be reached by, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(name), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def spans(name: str) -> list[str]:
    """What stands between single backticks."""
    return re.findall(r"`([^`\n]+)`", prose(name))
