"""The room *Agents*: who serves, what each is granted, and who talked to whom.

Agents come and go through `Recruiting`, and a prompt's front matter is set through the roster, which keeps
the version before. The prompt itself is written elsewhere.
"""

import hashlib
from collections.abc import Collection, Mapping
from datetime import timedelta

from starlette.requests import Request
from starlette.routing import Route

from legio.console.page import Room
from legio.console.talking import drawn
from legio.console.wire import answering, body, moment, text
from legio.days import beginning, day_of
from legio.errors import LegioError, Refused
from legio.nuntius import LEGATUS
from legio.ports import Talk
from legio.recruiting import Recruiting
from legio.roster import Profile
from legio.roster.front import altered
from legio.roster.grants import KNOWN, SERVER, allows, doubts, servers
from legio.roster.profile import parse
from legio.survey import Survey
from legio.tuning import EFFORTS, Dial

DAYS = 7
"""How far back the picture of who talked to whom reaches: today and the six days before."""


def agents_room(
    survey: Survey, recruiting: Recruiting, talk: Talk, *, configured: Collection[str] = ()
) -> Room:
    """The room; `configured` are the names of the servers of tools in `legio.toml`."""
    desk = _Desk(survey, configured)

    async def listed(_: Request) -> object:
        return desk.listed()

    async def talked(_: Request) -> object:
        start = beginning(day_of(survey.clock.now(), survey.zone) - timedelta(days=DAYS - 1), survey.zone)
        exchanges = await talk.exchanges(start)
        rows = [{"sender": it.sender, "hearer": it.hearer, "nuntii": it.nuntii} for it in exchanges]
        return {"since": moment(start), "exchanges": rows, "picture": drawn(exchanges)}

    async def create(request: Request) -> object:
        given = await body(request)
        name = text(given, "name").strip().removeprefix("@").lower()
        return {"said": await recruiting.create(name, text(given, "specialization"))}

    async def edit(request: Request) -> object:
        return {"said": desk.edit(await body(request))}

    async def remove(request: Request) -> object:
        name = survey.known(text(await body(request), "name"))
        if name == LEGATUS:
            raise Refused("the Legatus cannot be removed.", remedy="Somebody has to answer you.")
        return {"said": await recruiting.remove(name)}

    return Room(
        name="agents",
        title="Agents",
        script="/static/rooms/agents.js",
        style="/static/rooms/agents.css",
        routes=(
            Route("/camp/agents/list", answering(listed)),
            Route("/camp/agents/talk", answering(talked)),
            Route("/camp/agents/create", answering(create), methods=["POST"]),
            Route("/camp/agents/edit", answering(edit), methods=["POST"]),
            Route("/camp/agents/remove", answering(remove), methods=["POST"]),
        ),
    )


class _Desk:
    """The roster as a form shows it and gives it back. Nothing here waits."""

    def __init__(self, survey: Survey, configured: Collection[str]) -> None:
        self._survey = survey
        self._roster = survey.roster
        self._configured = configured

    def listed(self) -> object:
        """Everybody, and what may be chosen."""
        profiles = [*self._usable(LEGATUS), *self._roster.centuriones()]
        grants = {name: allows(name) for name in (*KNOWN, *(f"{SERVER}{each}" for each in self._configured))}
        return {
            "agents": [self._row(name) for name in self._survey.names],
            "grants": grants,
            "models": self._survey.tuning.models(tuple(profiles)),
            "efforts": EFFORTS,
        }

    def edit(self, given: Mapping[str, object]) -> str:
        """Write what a form gave back, unless the prompt has changed since it was shown."""
        name = self._survey.known(text(given, "name"))
        was = self._roster.text(name)
        if _version(was) != text(given, "version"):
            raise Refused(
                f"{name}'s prompt has been changed since you opened it; nothing was written.",
                remedy="Open it again, and make your change there.",
            )
        now, wanted = _fields(self._roster.profile(name)), _wanted(given)
        written = altered(was, {key: value for key, value in wanted.items() if value != now[key]})
        servers(parse(name, written, where=name), self._configured)
        self._roster.rewrite(name, written, was=was, now=self._survey.clock.now())
        return f"{name} is as you set him from his next turn on; his thread goes on."

    def _row(self, name: str) -> dict[str, object]:
        row: dict[str, object] = {"name": name, "leads": name == LEGATUS}
        try:
            profile, version = self._roster.profile(name), _version(self._roster.text(name))
        except LegioError as error:
            return row | {"trouble": str(error)}
        tuning = self._survey.tuning
        grants = [_grant(it, asks=False) for it in profile.tools] + [
            _grant(it, asks=True) for it in profile.asks
        ]
        return row | {
            "trouble": self._lacking(profile),
            "doubts": list(doubts(profile)),
            "version": version,
            "fields": _fields(profile),
            "grants": grants,
            "in_force": {
                dial.value: {
                    "value": tuning.of(dial, profile).value,
                    "reason": tuning.of(dial, profile).reason,
                }
                for dial in Dial
            },
        }

    def _lacking(self, profile: Profile) -> str:
        """Why what he is granted is not there, in a sentence, or ""."""
        try:
            servers(profile, self._configured)
        except LegioError as error:
            return str(error)
        return ""

    def _usable(self, name: str) -> list[Profile]:
        try:
            return [self._roster.profile(name)]
        except LegioError:
            return []


def _grant(name: str, *, asks: bool) -> dict[str, object]:
    return {"name": name, "allows": allows(name), "asks": asks}


def _version(written: str) -> str:
    """Tells one state of a prompt from another."""
    return hashlib.sha256(written.encode()).hexdigest()


def _fields(profile: Profile) -> dict[str, object]:
    """The front matter, by its own keys."""
    return {
        "description": profile.description,
        "model": profile.model,
        "effort": profile.effort,
        "history_window": profile.history_window,
        "tools": profile.tools,
        "ask": profile.asks,
    }


def _wanted(given: Mapping[str, object]) -> dict[str, object]:
    """The front matter that a form asks for; what its values may be is the profile's business."""
    window = given.get("history_window")
    if window is not None and (isinstance(window, bool) or not isinstance(window, int)):
        raise Refused("'history_window' has to be a whole number.", remedy="Write one, or leave it empty.")
    return {
        "description": " ".join(text(given, "description").split()),
        "model": _optional(given, "model"),
        "effort": _optional(given, "effort"),
        "history_window": window,
        "tools": _names(given, "tools"),
        "ask": _names(given, "ask"),
    }


def _optional(given: Mapping[str, object], key: str) -> str | None:
    return None if given.get(key) is None else text(given, key).strip() or None


def _names(given: Mapping[str, object], key: str) -> tuple[str, ...]:
    names = given.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Refused(f"'{key}' has to be a list of tools.", remedy="Load the page again.")
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
