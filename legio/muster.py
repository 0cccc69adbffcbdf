"""How an agent is fitted out: from the castra as it is now, with his prompt, orders, tools and folders."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from legio import context
from legio.castra import Castra
from legio.config import Config
from legio.nuntius import LEGATUS
from legio.ports import Brief, Kind, Memoria, Tool
from legio.roster import Roster


@dataclass(frozen=True, slots=True)
class Muster:
    """Calling it makes an agent's `Brief`.

    `memoria_tools` and `legatus_tools` give the tools of one agent and of the Legatus; `approve` asks
    Caesar about a tool for an agent.
    """

    config: Config
    castra: Castra
    roster: Roster
    memoria: Memoria
    memoria_tools: Callable[[str], tuple[Tool, ...]]
    legatus_tools: Callable[[], tuple[Tool, ...]]
    approve: Callable[[str, str, Mapping[str, object]], Awaitable[bool]]

    def __call__(self, name: str) -> Brief:
        """The agent's brief; raises `CastraError` when his prompt or his folders cannot be used."""
        profile = self.roster.profile(name)
        servers = {f"memoria_{name}": self.memoria_tools(name)}
        roster = None
        if name == LEGATUS:
            servers["legatus"] = self.legatus_tools()
            roster = [(other.name, other.description) for other in self.roster.centuriones()]

        async def approve(tool: str, arguments: Mapping[str, object]) -> bool:
            return await self.approve(name, tool, arguments)

        return Brief(
            name=name,
            system_prompt=context.system_prompt(
                name, profile.prompt, self.memoria.list(Kind.EDICTUM).documents, roster
            ),
            servers=servers,
            workspace=self.castra.folder(self.castra.workspace(name)),
            home=self.castra.folder(self.castra.home(name)),
            approve=approve,
            history_window=(
                self.config.history_window if profile.history_window is None else profile.history_window
            ),
            model=profile.model or self.config.model,
            effort=profile.effort,
            grants=profile.tools,
            asks=profile.asks,
        )
