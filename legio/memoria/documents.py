"""A document of the memoria as a file: one small XML element, written for people as much as for programs.

    <?xml version="1.0" encoding="UTF-8"?>
    <edictum name="plain-words" author="caesar" created="2026-11-21T03:42:00+00:00">
      <title>Plain words</title>
      <text>
    Answer in plain words.
      </text>
    </edictum>

An edictum that an agent published bears two attributes more: `proof`, the id of the nuntius of Caesar's that
led to it, and `allowed`, who allowed it.

Reading is strict about what could be a slip (a foreign element, a second text, a name that is not the
file's) and lenient about what a person leaves out: without attributes the name is the file's, the author is
Caesar, and the date is the file's own. No DTD, entity or external reference is ever followed. Whitespace
around a title or a text means nothing. Where files lie and how they are written is the store's business.
"""

import re
from datetime import UTC, datetime
from html import escape
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element, ParseError  # the types alone; parsing is left to defusedxml

from defusedxml.ElementTree import fromstring

from legio.errors import DocumentError
from legio.nuntius import CAESAR
from legio.ports import Document, Kind

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""A document's name, matched whole; it is the file's stem."""

PLURAL = {Kind.EDICTUM: "edicta", Kind.ACTUM: "acta", Kind.COMMENTARIUM: "commentarii"}
"""What the documents of a kind are called together."""

ATTRIBUTES = frozenset({"name", "author", "created", "proof", "allowed"})
CHILDREN = ("title", "text")

# The complement of Char in XML 1.0 (production 2): controls, lone surrogates, U+FFFE and U+FFFF.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def tidy(text: str) -> str:
    """`text` as a document holds it: legal in XML, lines ended by a newline alone, no blank edges."""
    return _ILLEGAL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def tidy_line(text: str) -> str:
    """`text` as a title or an author stands there: tidy, and on one line."""
    return " ".join(tidy(text).split())


def render(document: Document) -> bytes:
    """The file's bytes, of which `parse` makes an equal document again.

    Raises `DocumentError` if it could not: a text that is not tidy, an empty one, a name that no file bears.
    """
    _refuse_unreadable(document)
    attributes = f'name="{document.name}" author="{escape(document.author)}"'
    sanction = (
        f' proof="{escape(document.proof)}" allowed="{escape(document.allowed)}"' if document.proof else ""
    )
    lines = (
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<{document.kind} {attributes} created="{document.created.isoformat()}"{sanction}>',
        f"  <title>{escape(document.title, quote=False)}</title>",
        "  <text>",
        escape(document.text, quote=False),
        "  </text>",
        f"</{document.kind}>",
        "",
    )
    return "\n".join(lines).encode()


def _refuse_unreadable(document: Document) -> None:
    reasons = (
        (not NAME.fullmatch(document.name), f"'{document.name}' cannot be a document's name."),
        (not document.title, "the title is empty."),
        (not document.text, "the text is empty."),
        (document.text != tidy(document.text), "the text is not tidy."),
        (document.title != tidy_line(document.title), "the title is not one tidy line."),
        (not document.author or document.author != tidy_line(document.author), "the author is not one name."),
        (document.created.tzinfo is not UTC, "the date is not in UTC."),
    )
    for wrong, what in reasons:
        if wrong:
            raise DocumentError(what, where=f"{document.kind} '{document.title}'", remedy="Give it anew.")


def parse(content: bytes, *, kind: Kind, file: str, modified: datetime, owner: str = "") -> Document:
    """The document in `content`, which was read from `file` (its path in the castra, for people).

    `modified` dates a document that a person wrote without a date. Raises `DocumentError` with file, fault
    and remedy when the content is not one well-formed document of this kind.
    """
    name = PurePosixPath(file).stem
    if not NAME.fullmatch(name):
        raise DocumentError(
            f"'{name}' cannot be a document's name.",
            where=file,
            remedy="Rename the file: 1 to 64 of a-z, 0-9 and '-'.",
        )
    root = _root(content, kind, file)
    title, text = _parts(root, file)
    return Document(
        kind=kind,
        name=_name(root, name, file),
        title=tidy_line(title),
        text=tidy(text),
        author=tidy_line(root.get("author", "")) or CAESAR,
        created=_created(root, modified, file),
        owner=owner,
        proof=tidy_line(root.get("proof", "")),
        allowed=tidy_line(root.get("allowed", "")),
    )


def _root(content: bytes, kind: Kind, file: str) -> Element:
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except ParseError as error:
        raise DocumentError(
            f"this is not well-formed XML ({error}).",
            where=file,
            remedy="Write & as &amp; and < as &lt;, and close every element.",
        ) from error
    except (ValueError, LookupError) as error:
        # defusedxml's refusals are ValueErrors; an unknown encoding is a LookupError of the codec registry.
        raise DocumentError(
            f"this XML is refused ({type(error).__name__}).",
            where=file,
            remedy="Use UTF-8 and plain elements, no DTD and no entities of your own.",
        ) from error
    if root.tag != kind.value:
        remedy = f"Write <{kind}> or move the file."
        raise DocumentError(f"this is a <{root.tag}>, not a <{kind}>.", where=file, remedy=remedy)
    if unknown := sorted(set(root.attrib) - ATTRIBUTES):
        remedy = f"Known are {', '.join(sorted(ATTRIBUTES))}."
        raise DocumentError(f"unknown attribute '{unknown[0]}'.", where=file, remedy=remedy)
    return root


def _parts(root: Element, file: str) -> tuple[str, str]:
    """Title and text. Whatever else stands in the element would be lost in silence, so it is refused."""
    remedy = f"Write <{root.tag}><title>…</title><text>…</text></{root.tag}>."
    if sorted(child.tag for child in root) != sorted(CHILDREN):
        raise DocumentError("there must be one <title> and one <text>.", where=file, remedy=remedy)
    if any((stray or "").strip() for stray in (root.text, *(child.tail for child in root))):
        raise DocumentError("there are words outside of <title> and <text>.", where=file, remedy=remedy)
    title, text = (_words(root, tag, file) for tag in CHILDREN)
    return title, text


def _words(root: Element, tag: str, file: str) -> str:
    child = root.find(tag)
    assert child is not None  # _parts has counted them
    if len(child):
        remedy = "Write < as &lt; inside of it."
        raise DocumentError(f"<{tag}> holds an element <{child[0].tag}>.", where=file, remedy=remedy)
    if not tidy(child.text or ""):
        raise DocumentError(f"<{tag}> is empty.", where=file, remedy="Fill it, or remove the file.")
    return child.text or ""


def _name(root: Element, name: str, file: str) -> str:
    if root.get("name", name) != name:
        what = f"its name says '{root.get('name')}', its file '{name}'."
        raise DocumentError(what, where=file, remedy="Make them equal, or leave the attribute out.")
    return name


def _created(root: Element, modified: datetime, file: str) -> datetime:
    """A date without a zone is taken for UTC: people write `2026-11-21`."""
    written = root.get("created")
    if written is None:
        return modified
    try:
        moment = datetime.fromisoformat(written)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        remedy = "Write it as 2026-11-21T03:42:00+00:00, or leave it out."
        raise DocumentError(f"'{written}' is not an ISO date.", where=file, remedy=remedy) from error
