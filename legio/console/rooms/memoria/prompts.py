"""The agents' prompts: read, and written with a check of what is wrong and of what an agent would be told.

What is checked is the draft as it stands on the page. Nothing is kept before it is saved, and what stood then
is kept by the roster.
"""

import asyncio
from collections.abc import Iterator

from starlette.requests import Request

from legio import context
from legio.console.rooms.memoria.difference import difference
from legio.console.wire import body, moment, text
from legio.errors import ProfileError, Refused
from legio.muster import Muster
from legio.nuntius import LEGATUS
from legio.ports import Clock, TokenCounter, Tokens
from legio.roster import Flaw, Profile, examine, former_prompts, grants

Json = dict[str, object]


class Prompts:
    """What is answered about prompts, and done with them."""

    def __init__(self, muster: Muster, counter: TokenCounter, clock: Clock) -> None:
        self._muster = muster
        self._counter = counter
        self._clock = clock

    async def list(self, _: Request) -> Json:
        """Each agent: what he is for, and why his prompt cannot be used."""
        return {"prompts": [self._listed(name) for name in (LEGATUS, *self._muster.roster.names())]}

    async def one(self, request: Request) -> Json:
        """A prompt as it stands, and its former versions."""
        name = request.path_params["name"]
        stands = self._muster.roster.text(name)
        versions = [
            {"id": each.id, "ended": moment(each.ended), "characters": len(each.text)}
            for each in former_prompts(self._muster.castra, name)
        ]
        return {"name": name, "text": stands, "versions": versions}

    async def version(self, request: Request) -> Json:
        """A former version's text."""
        return {"text": self._version(request.path_params["name"], request.query_params.get("id", ""))}

    async def difference(self, request: Request) -> Json:
        """What one version has and another has not; "" is the one that stands."""
        name, asked = request.path_params["name"], request.query_params
        before, after = (self._version(name, asked.get(end, "")) for end in ("from", "to"))
        return {"lines": await asyncio.to_thread(difference, before, after)}

    async def save(self, request: Request) -> Json:
        """The draft stands from the next turn on; `was` is what its writer began with."""
        given = await body(request)
        name = request.path_params["name"]
        self._muster.roster.rewrite(name, text(given, "text"), was=text(given, "was"), now=self._clock.now())
        return {"name": name}

    async def check(self, request: Request) -> Json:
        """What is wrong with a draft, and what an agent would be told by it, counted."""
        given = await body(request)
        name, draft = text(given, "name"), text(given, "text")
        self._muster.roster.text(name)  # raises for who is no agent
        found = examine(name, draft)
        if not isinstance(found, Profile):
            return {"flaws": [_flaw(each) for each in found], "doubts": [], "parts": [], "whole": None}
        flaws = [_flaw(each) for each in self._hindrances(found)]
        return {"flaws": flaws, "doubts": list(grants.doubts(found)), **await self._told(found)}

    async def _told(self, profile: Profile) -> Json:
        parts = self._muster.told(profile)
        texts = [*(part.text for part in parts), context.system_prompt(parts)]
        *counted, whole = await self._counter.count(texts, model=self._muster.tuning.model(profile).value)
        told = [
            {"source": part.source, "text": part.text, **_tokens(tokens)}
            for part, tokens in zip(parts, counted, strict=True)
        ]
        return {"parts": told, "whole": _tokens(whole)}

    def _hindrances(self, profile: Profile) -> Iterator[Flaw]:
        """Why he could not be started, though his prompt can be read."""
        try:
            grants.servers(profile, self._muster.config.mcp)
        except ProfileError as error:
            yield Flaw(f"{error.what} {error.remedy}")

    def _listed(self, name: str) -> Json:
        try:
            profile = self._muster.roster.profile(name)
        except ProfileError as error:
            return {"name": name, "description": "", "trouble": str(error)}
        return {"name": name, "description": profile.description, "trouble": ""}

    def _version(self, name: str, wanted: str) -> str:
        if not wanted:
            return self._muster.roster.text(name)
        for each in former_prompts(self._muster.castra, name):
            if each.id == wanted:
                return each.text
        raise Refused("there is no such version.", remedy="Load the page again.")


def _flaw(flaw: Flaw) -> Json:
    return {"line": flaw.line, "said": flaw.said}


def _tokens(tokens: Tokens) -> Json:
    return {"tokens": tokens.number, "about": tokens.about, "rule": tokens.rule}
