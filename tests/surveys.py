"""A survey of a legion without Telegram, and agents who use a tool while they work."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from legio.events import Connected, Event, ToolStarted
from legio.ports import Brief, Picture
from legio.survey import Survey
from legio.tuning import Tuning
from tests.camp import Legion
from tests.fakes import ScriptedAgent, Stage

MOST_TOKENS = 1000


def survey_of(camp: Legion, *, max_context_tokens: int = MOST_TOKENS) -> Survey:
    """How the agents of this legion are."""
    return Survey(
        legatus=camp.legatus,
        sessions=camp.sessions,
        roster=camp.roster,
        threads=camp.praetorium.threads,
        costs=camp.praetorium.costs,
        tuning=Tuning(camp.praetorium.settings, model=None),
        processes=camp.stage.processes(),
        clock=camp.clock,
        zone=camp.standing.zone,
        max_context_tokens=max_context_tokens,
    )


@dataclass
class Smithy(Stage):
    """A stage on which everybody takes up the same tool before he speaks."""

    tool: str = "Bash"

    def enlist(self, brief: Brief) -> ScriptedAgent:
        return Smith(self, brief)


class Smith(ScriptedAgent):
    """A scripted agent with a tool in his hand."""

    async def ask(self, text: str, pictures: Sequence[Picture] = ()) -> AsyncIterator[Event]:
        async for event in super().ask(text, pictures):
            yield event
            if isinstance(event, Connected):
                assert isinstance(self._stage, Smithy)
                yield ToolStarted(self._stage.tool)
