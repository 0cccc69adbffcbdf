"""The three shelves: what stands there and what stood before; written, amended, revoked and undone by Caesar.

A document is known to the page by its `mark`, which changes with it: who amends, revokes or restores says by
the mark what he saw, and is refused where another has been there meanwhile.
"""

import asyncio
import hashlib
from collections.abc import Mapping

from starlette.requests import Request

from legio.console.rooms.memoria.difference import difference
from legio.console.wire import LARGEST_PAGE, body, moment, text
from legio.errors import DocumentError, Refused
from legio.nuntius import CAESAR, LEGATUS
from legio.ports import Document, History, Kind, Memoria, Past, Version
from legio.roster import Roster

SHELVES = {"edicta": Kind.EDICTUM, "acta": Kind.ACTUM, "commentarii": Kind.COMMENTARIUM}
LONGEST_TITLE = 200

Json = dict[str, object]


class Documents:
    """What is answered about documents, and done with them."""

    def __init__(self, memoria: Memoria, history: History, roster: Roster) -> None:
        self._memoria = memoria
        self._history = history
        self._roster = roster

    async def list(self, request: Request) -> Json:
        """A shelf, the newest first; `containing` narrows it to those whose title or text holds that."""
        kind, owner = _place(request)
        wanted = request.query_params.get("containing", "").casefold()
        shelf, gone = self._memoria.list(kind, owner), self._history.gone(kind, owner)
        found = [each for each in reversed(shelf.documents) if _contains(each, wanted)]
        former = [each for each in gone.versions if _contains(each.document, wanted)]
        return {
            "documents": [_listed(each) for each in found[:LARGEST_PAGE]],
            "older": max(len(found) - LARGEST_PAGE, 0),
            "gone": [_version(each) for each in former[:LARGEST_PAGE]],
            "broken": [*shelf.broken, *gone.broken],
            "owners": [LEGATUS, *self._roster.names()],
        }

    async def one(self, request: Request) -> Json:
        """What stands under a name, and its versions."""
        past = self._past(request)
        standing = _standing(past)
        return {
            "standing": None if standing is None else _whole(standing),
            "versions": [_version(each) for each in past.versions[: LARGEST_PAGE + 1]],
            "broken": past.broken,
        }

    async def version(self, request: Request) -> Json:
        """The whole of one version."""
        return _whole(_chosen(self._past(request), request.query_params.get("id", "")).document)

    async def difference(self, request: Request) -> Json:
        """What one version has and another has not; "" is the one that stands."""
        past, asked = self._past(request), request.query_params
        before, after = (_chosen(past, asked.get(end, "")).document for end in ("from", "to"))
        lines = await asyncio.to_thread(difference, _written(before), _written(after))
        return {"lines": lines}

    async def write(self, request: Request) -> Json:
        """A new document by Caesar."""
        kind, _ = _place(request)
        given = await body(request)
        document, warning = self._memoria.write(
            kind, title=_title(given), text=text(given, "text"), author=CAESAR, owner=_owner(kind, given)
        )
        return {"name": document.name, "warning": warning}

    async def amend(self, request: Request) -> Json:
        """Another title or text for what stands."""
        given = await body(request)
        was = self._seen(request, given)
        document, warning = self._history.amend(
            was, title=_title(given), text=text(given, "text"), author=CAESAR
        )
        return {"name": document.name, "warning": warning}

    async def revoke(self, request: Request) -> Json:
        """What stands is taken away, and kept in the history."""
        was = self._seen(request, await body(request))
        self._history.revoke(was, CAESAR)
        return {"name": was.name}

    async def restore(self, request: Request) -> Json:
        """A former version stands again, in the place of what the mark names, or of nothing."""
        given = await body(request)
        kind, _ = _place(request)
        past = self._history.versions(kind, request.path_params["name"], _owner(kind, given))
        over = self._seen(request, given) if text(given, "mark", "") else None
        document = self._history.restore(_chosen(past, text(given, "version")), CAESAR, over=over)
        return {"name": document.name}

    def _past(self, request: Request) -> Past:
        """The versions of a name; raises `DocumentError` where there is not even a broken one."""
        kind, owner = _place(request)
        past = self._history.versions(kind, request.path_params["name"], owner)
        if not past.versions and not past.broken:
            self._memoria.read(kind, request.path_params["name"], owner)
        return past

    def _seen(self, request: Request, given: Mapping[str, object]) -> Document:
        """What stands, if it is what was seen."""
        kind, _ = _place(request)
        document = self._memoria.read(kind, request.path_params["name"], _owner(kind, given))
        if _mark(document) != text(given, "mark"):
            raise Refused(
                f"'{document.name}' has been changed meanwhile: nothing was done.",
                remedy="Copy what you wrote, and open it again.",
            )
        return document


# --- what is asked for ------------------------------------------------------------------------------------


def _place(request: Request) -> tuple[Kind, str]:
    """The shelf in the address, and whose it is by the query."""
    kind = SHELVES.get(request.path_params["shelf"])
    if kind is None:
        raise DocumentError("there is no such shelf.", remedy=f"There are: {', '.join(SHELVES)}.")
    return kind, _owner(kind, request.query_params)


def _owner(kind: Kind, given: Mapping[str, object]) -> str:
    """Whose journal; "" on the shelves that are everyone's, and the Legatus's own if nobody is named."""
    return (text(given, "owner", "") or LEGATUS) if kind is Kind.COMMENTARIUM else ""


def _title(given: Mapping[str, object]) -> str:
    title = text(given, "title")
    if len(title) > LONGEST_TITLE:
        raise Refused(f"a title has {LONGEST_TITLE} characters at most.", remedy="Say the rest in the text.")
    return title


def _contains(document: Document, wanted: str) -> bool:
    return wanted in f"{document.title}\n{document.text}".casefold()


def _standing(past: Past) -> Document | None:
    return next((each.document for each in past.versions if not each.id), None)


def _chosen(past: Past, wanted: str) -> Version:
    for each in past.versions:
        if each.id == wanted:
            return each
    raise Refused("there is no such version.", remedy="Load the page again.")


def _mark(document: Document) -> str:
    return hashlib.sha256(repr(document).encode("utf-8", "surrogatepass")).hexdigest()[:32]


# --- what is answered -------------------------------------------------------------------------------------


def _listed(document: Document) -> Json:
    return {
        "name": document.name,
        "title": document.title,
        "author": document.author,
        "created": moment(document.created),
        "characters": len(document.text),
        "allowed": document.allowed,
    }


def _whole(document: Document) -> Json:
    return {**_listed(document), "text": document.text, "mark": _mark(document), "proof": document.proof}


def _version(version: Version) -> Json:
    return {
        **_listed(version.document),
        "id": version.id,
        "fate": version.fate,
        "ended": moment(version.ended),
        "by": version.by,
        "by_word": "" if version.proof is None else version.proof.allowed,
    }


def _written(document: Document) -> str:
    """As it is compared: the title is its first line."""
    return f"{document.title}\n\n{document.text}"
