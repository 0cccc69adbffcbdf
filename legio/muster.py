"""How an agent is fitted out: from the castra as it is now, with his prompt, orders, tools and folders."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from legio import context
from legio.castra import Castra
from legio.config import Config, ServerConfig
from legio.errors import ProfileError
from legio.nuntius import LEGATUS
from legio.ports import Approve, Brief, Kind, Memoria, Server, Tool
from legio.roster import Profile, Roster, grants
from legio.tuning import Tuning

PRIVATE = (
    Path(os.path.expanduser("~")),  # noqa: PTH111  (`Path.home` raises where a container's user has none)
    Path("/run/secrets"),
)
"""Where people and containers keep what is nobody else's."""
SET_IT = "Set it, or the same name with _FILE behind it to a file that holds it, and restart Legio."


@dataclass(frozen=True, slots=True)
class Muster:
    """Calling it makes an agent's `Brief`.

    `memoria_tools` and `legatus_tools` give the tools of one agent and of the Legatus; `approve` asks
    Caesar about a tool for an agent. `variables` are the values that servers of tools need, by variable.
    """

    config: Config
    castra: Castra
    roster: Roster
    memoria: Memoria
    memoria_tools: Callable[[str], tuple[Tool, ...]]
    legatus_tools: Callable[[], tuple[Tool, ...]]
    approve: Approve
    file_tools: Callable[[str], tuple[Tool, ...]]
    search_tools: Callable[[str], tuple[Tool, ...]]
    tuning: Tuning
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __call__(self, name: str) -> Brief:
        """The agent's brief; raises `CastraError` when his prompt or his folders cannot be used."""
        profile = self.roster.profile(name)
        servers = {f"memoria_{name}": self.memoria_tools(name), f"files_{name}": self.file_tools(name)}
        servers[f"praetorium_{name}"] = self.search_tools(name)
        if name == LEGATUS:
            servers["legatus"] = self.legatus_tools()

        return Brief(
            name=name,
            system_prompt=context.system_prompt(self.told(profile)),
            servers=servers,
            workspace=self.castra.folder(self.castra.workspace(name)),
            home=self.castra.folder(self.castra.home(name)),
            approve=self.approve,
            history_window=(
                self.config.history_window if profile.history_window is None else profile.history_window
            ),
            model=self.tuning.model(profile).value,
            effort=self.tuning.effort(profile).value,
            grants=profile.tools,
            asks=profile.asks,
            external={each: self._server(each) for each in grants.servers(profile, self.config.mcp)},
            closed=self._closed(),
            unsandboxed=self.config.claude.unsandboxed_bash,
        )

    def told(self, profile: Profile) -> tuple[context.Part, ...]:
        """What an agent would be told whose prompt were this, with the edicta and the roster as they are."""
        roster = None
        if profile.name == LEGATUS:
            roster = [(other.name, other.description) for other in self.roster.centuriones()]
        edicta = self.memoria.list(Kind.EDICTUM).documents
        return context.prompt_parts(profile.name, profile.prompt, edicta, roster)

    def _server(self, name: str) -> Server:
        configured = self.config.mcp[name]
        if lacking := unset(configured, self.variables):
            raise ProfileError(lacking, where=f"[mcp.{name}]", remedy=SET_IT)
        return Server(
            command=configured.command,
            args=configured.args,
            url=configured.url,
            headers=configured.headers,
            variables={each: self.variables[each] for each in configured.variables},
        )

    def _closed(self) -> tuple[Path, ...]:
        """What no command of an agent's may read: all that is Caesar's, but for the agent's own workspace."""
        file = [self.config.file] if self.config.file else []
        return (self.castra.root, self.config.backup.folder, *file, *PRIVATE)


def unset(server: ServerConfig, variables: Mapping[str, str]) -> str:
    """Which variables a server lacks, in a sentence; "" where it has all that it needs."""
    lacking = [each for each in server.variables if each not in variables]
    return f"{' and '.join(lacking)} is not set, and the server needs it." if lacking else ""
