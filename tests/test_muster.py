"""What an agent is fitted out with, from the castra as it is at that moment."""

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.clock import SystemClock
from legio.config import BackupConfig, ClaudeConfig, Config, ServerConfig
from legio.context import prompt_hash, system_prompt
from legio.errors import CastraError, ProfileError
from legio.memoria.store import FileMemoria
from legio.memoria.tools import memoria_tools
from legio.muster import Muster
from legio.ports import Kind, Request, Server, Tool
from legio.roster import Profile, Roster, examine
from legio.tuning import Dial, Tuning
from tests.camp import write_castra
from tests.fakes import MemorySettings
from tests.scenes import scene


async def _nothing(_: Mapping[str, object]) -> str:
    return ""


ONLY = Tool("list_centuriones", "Who is here.", {"type": "object"}, _nothing)
SEND = Tool("send_file", "Send a file.", {"type": "object"}, _nothing)
FIND = Tool("search_praetorium", "Find.", {"type": "object"}, _nothing)


@dataclass
class Depot:
    """A muster over a real castra, and what Caesar was asked."""

    castra: Castra
    memoria: FileMemoria
    config: Config
    asked: list[Request] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    settings: MemorySettings = field(default_factory=MemorySettings)

    @property
    def muster(self) -> Muster:
        return Muster(
            config=self.config,
            castra=self.castra,
            roster=Roster(self.castra),
            memoria=self.memoria,
            memoria_tools=lambda name: memoria_tools(self.memoria, name),
            legatus_tools=lambda: (ONLY,),
            approve=self.approve,
            variables=self.variables,
            file_tools=lambda _: (SEND,),
            search_tools=lambda _: (FIND,),
            tuning=Tuning(self.settings, model=self.config.model),
        )

    async def approve(self, request: Request) -> bool:
        self.asked.append(request)
        return request.tool == "Read"

    def edict(self, text: str) -> None:
        self.memoria.write(Kind.EDICTUM, title="Order", text=text, author="caesar")


@pytest.fixture
def depot(tmp_path: Path) -> Depot:
    castra = write_castra(tmp_path / "castra")
    return Depot(castra, FileMemoria(castra, SystemClock()), Config(castra=castra.root, model="opus"))


def front_matter(depot: Depot, name: str, *lines: str) -> None:
    head = "\n".join(["---", "description: builds", *lines, "---", "You build."])
    depot.castra.prompt(name).write_text(head)


def test_the_front_matter_decides(depot: Depot) -> None:
    front_matter(
        depot, "pullo", "model: haiku", "effort: low", "history_window: 3", "tools: [Read]", "ask: [Bash]"
    )
    brief = depot.muster("pullo")
    assert (brief.name, brief.model, brief.effort, brief.history_window) == ("pullo", "haiku", "low", 3)
    assert (brief.grants, brief.asks) == (("Read",), ("Bash",))


def test_what_the_front_matter_leaves_out_the_configuration_says_and_no_tool_is_granted(depot: Depot) -> None:
    brief = depot.muster("pullo")
    assert (brief.model, brief.effort, brief.history_window) == ("opus", None, depot.config.history_window)
    assert (brief.grants, brief.asks) == ((), ())


def test_a_history_window_of_none_is_kept(depot: Depot) -> None:
    front_matter(depot, "pullo", "history_window: 0")
    assert depot.muster("pullo").history_window == 0


def test_a_centurio_has_his_own_memoria_and_nothing_of_the_legatus(depot: Depot) -> None:
    servers = depot.muster("pullo").servers
    assert list(servers) == ["memoria_pullo", "files_pullo", "praetorium_pullo"]
    assert "publish_edictum" not in {tool.name for tool in servers["memoria_pullo"]}


def test_the_legatus_has_his_tools_beside_his_memoria(depot: Depot) -> None:
    servers = depot.muster("legatus").servers
    assert list(servers) == ["memoria_legatus", "files_legatus", "praetorium_legatus", "legatus"]
    assert servers["legatus"] == (ONLY,)


def test_the_edicta_stand_in_everyones_prompt(depot: Depot) -> None:
    depot.edict("Speak plainly & <briefly>.")
    for name in ("legatus", "pullo"):
        assert "Speak plainly &amp; &lt;briefly&gt;." in depot.muster(name).system_prompt


def test_the_roster_stands_in_the_prompt_of_the_legatus_alone(depot: Depot) -> None:
    (depot.castra.prompt("brutus")).write_text("broken")
    assert (
        '<centuriones>\n<centurio name="pullo">pullo\'s work</centurio>\n'
        '<centurio name="vorenus">vorenus\'s work</centurio>\n</centuriones>'
    ) in depot.muster("legatus").system_prompt
    assert "<centuriones>" not in depot.muster("pullo").system_prompt


def test_equal_files_make_an_equal_prompt_and_any_change_another_one(depot: Depot) -> None:
    def seen() -> str:
        return prompt_hash(depot.muster("legatus").system_prompt)

    hashes = [seen()]
    assert seen() == hashes[0]
    for change in (
        lambda: front_matter(depot, "legatus"),
        lambda: depot.edict("Speak plainly."),
        lambda: front_matter(depot, "pullo"),
        lambda: depot.memoria.revoke("order", "caesar"),
    ):
        change()
        hashes.append(seen())
    assert len(set(hashes)) == len(hashes)


def test_what_an_agent_would_be_told_is_what_his_brief_tells_him(depot: Depot) -> None:
    depot.edict("Speak plainly.")
    draft = examine("legatus", "---\ndescription: leads\n---\nYou lead otherwise.")
    assert isinstance(draft, Profile)
    would = depot.muster.told(draft)
    depot.castra.prompt("legatus").write_text("---\ndescription: leads\n---\nYou lead otherwise.")

    assert [part.source for part in would] == ["legio", "prompt", "edicta", "roster"]
    assert system_prompt(would) == depot.muster("legatus").system_prompt
    assert [part.source for part in depot.muster.told(replace(draft, name="pullo"))] == [
        "legio",
        "prompt",
        "edicta",
    ]


def test_home_and_workspace_are_made_for_the_owner_alone(depot: Depot) -> None:
    brief = depot.muster("pullo")
    assert (brief.home, brief.workspace) == (depot.castra.home("pullo"), depot.castra.workspace("pullo"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in (brief.home, brief.workspace)] == [0o700, 0o700]


def test_folders_that_cannot_be_made_are_told(depot: Depot) -> None:
    (depot.castra.root / "workspaces").write_text("in the way")
    with pytest.raises(CastraError, match="this folder cannot be made"):
        depot.muster("pullo")


def test_a_prompt_that_cannot_be_used_is_told(depot: Depot) -> None:
    depot.castra.prompt("pullo").write_text("broken")
    with pytest.raises(ProfileError, match="there is no front matter"):
        depot.muster("pullo")


@scene
async def test_what_needs_caesars_word_is_put_before_him(depot: Depot) -> None:
    brief = depot.muster("pullo")
    read = Request("pullo", "thread 1", "Read", "pullo asks to use Read.", None, "Read", "every use of Read")
    assert await brief.approve(read)
    assert not await brief.approve(replace(read, tool="Bash"))
    assert depot.asked == [read, replace(read, tool="Bash")]


def test_a_server_that_is_granted_comes_with_what_it_needs_and_no_other(depot: Depot) -> None:
    hub = ServerConfig(command="/bin/hub", args=("--all",), env=("HUB_TOKEN",))
    search = ServerConfig(url="https://a.org", headers={"Authorization": "SEARCH_KEY"})
    depot.config = replace(depot.config, mcp={"hub": hub, "search": search})
    depot.variables = {"HUB_TOKEN": "h", "SEARCH_KEY": "s"}
    front_matter(depot, "pullo", "tools: [mcp__hub__look]", "ask: [mcp__search]")
    assert depot.muster("pullo").external == {
        "hub": Server(command="/bin/hub", args=("--all",), variables={"HUB_TOKEN": "h"}),
        "search": Server(
            url="https://a.org", headers={"Authorization": "SEARCH_KEY"}, variables={"SEARCH_KEY": "s"}
        ),
    }
    assert depot.muster("vorenus").external == {}


def test_a_server_that_nobody_configured_is_told(depot: Depot) -> None:
    depot.config = replace(depot.config, mcp={"github": ServerConfig(command="hub")})
    front_matter(depot, "pullo", "tools: [mcp__githb]")
    with pytest.raises(ProfileError, match=r"no MCP server 'githb' in legio\.toml\. Did you mean 'github'"):
        depot.muster("pullo")


def test_a_server_whose_variable_is_not_set_is_told(depot: Depot) -> None:
    depot.config = replace(depot.config, mcp={"hub": ServerConfig(command="hub", env=("HUB_TOKEN",))})
    front_matter(depot, "pullo", "tools: [mcp__hub]")
    with pytest.raises(
        ProfileError, match=r"\[mcp.hub\]: HUB_TOKEN is not set, and the server needs it\. Set"
    ):
        depot.muster("pullo")
    assert depot.muster("vorenus").external == {}


def test_what_is_caesars_is_closed_to_commands(depot: Depot, tmp_path: Path) -> None:
    depot.config = replace(
        depot.config,
        file=tmp_path / "legio.toml",
        backup=BackupConfig(folder=tmp_path / "backups"),
        claude=ClaudeConfig(unsandboxed_bash=True),
    )
    brief = depot.muster("pullo")
    assert brief.closed[:3] == (depot.castra.root, tmp_path / "backups", tmp_path / "legio.toml")
    assert brief.closed[3:] == (Path.home(), Path("/run/secrets"))
    assert brief.unsandboxed


@scene
async def test_caesars_word_on_the_model_is_in_the_next_brief(depot: Depot) -> None:
    front_matter(depot, "pullo", "model: sonnet", "effort: high")
    muster = depot.muster
    await muster.tuning.say(Dial.MODEL, "haiku", "pullo")
    await muster.tuning.say(Dial.EFFORT, "low")
    his, another = muster("pullo"), muster("vorenus")
    assert (his.model, his.effort) == ("haiku", "high")
    assert (another.model, another.effort) == ("opus", "low")
