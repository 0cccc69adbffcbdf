"""The Legatus's tools, called as the model calls them: by name, with arguments that fit the schema."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient
from jsonschema import Draft202012Validator

from legio.clock import SystemClock
from legio.errors import LegioError, Refused
from legio.local.model import ModelState, model_server
from legio.memoria.store import FileMemoria
from legio.memoria.tools import memoria_tools
from legio.ports import Tool
from legio.toolset import MOST_FOUND, legatus_tools, search_tools
from tests.camp import Legion, legion
from tests.claude.line import line
from tests.fakes import Stage
from tests.scenes import scene

BUILT_IN = frozenset(
    {
        "Agent",
        "AskUserQuestion",
        "Bash",
        "BashOutput",
        "CronCreate",
        "CronDelete",
        "CronList",
        "Edit",
        "EnterPlanMode",
        "ExitPlanMode",
        "Glob",
        "Grep",
        "KillShell",
        "ListMcpResources",
        "LSP",
        "Monitor",
        "MultiEdit",
        "NotebookEdit",
        "Read",
        "ReadMcpResource",
        "ScheduleWakeup",
        "SendMessage",
        "Skill",
        "SlashCommand",
        "Task",
        "TaskCreate",
        "TaskList",
        "TaskOutput",
        "TaskStop",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
        "Workflow",
        "Write",
    }
)
"""The tools of the `claude` CLI itself: one of ours by such a name would shadow it, or be shadowed."""


def tools(camp: Legion) -> tuple[Tool, ...]:
    return legatus_tools(camp.legatus, camp.roster, camp.praetorium.nuntii, camp.decisions, camp.recruiting)


async def call(camp: Legion, tool_name: str, /, **arguments: object) -> str:
    """The result of a call whose arguments the schema lets pass, as the MCP server sees to it."""
    (tool,) = [tool for tool in tools(camp) if tool.name == tool_name]
    Draft202012Validator(tool.schema).validate(arguments)
    return await tool.run(arguments)


def finder(camp: Legion, agent: str) -> Tool:
    (tool,) = search_tools(camp.praetorium.search, agent)
    return tool


# --- each tool ------------------------------------------------------------------------------------------


@scene
async def test_the_list_names_everyone_with_what_he_is_for_and_does(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        camp.castra.prompt("brutus").write_text("broken & bare")
        camp.castra.prompt("pullo").write_text("---\ndescription: a < b\n---\nYou are pullo.\n")
        await camp.say("@pullo ave")
        await camp.settled(1)
        listed = await call(camp, "list_centuriones")
    assert listed == (
        "<centuriones>\n"
        '<centurio name="brutus" state="asleep"></centurio>\n'
        '<centurio name="pullo" state="awake">a &lt; b</centurio>\n'
        '<centurio name="vorenus" state="asleep">vorenus\'s work</centurio>\n'
        "<broken>centuriones/brutus/prompt.md: this prompt cannot be used:\n"
        "  - there is no front matter. Begin with a line ---, then 'description: …'.</broken>\n"
        "</centuriones>"
    )


@scene
async def test_a_centurio_is_created_whatever_case_the_model_writes(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        said = await call(camp, "create_centurio", name="Titus", specialization="builds bridges")
        assert "titus" in camp.roster.names()
    assert said == "titus has joined: builds bridges Write @titus to address him."


@scene
async def test_to_remove_a_centurio_caesar_is_asked_by_button(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        said = await call(camp, "remove_centurio", name="Pullo")
        assert "pullo" in camp.roster.names(), "nothing happens before Caesar decides"
        (card,) = await camp.sent()
        buttons = dict(card["buttons"])  # type: ignore[call-overload]
        outcome = await camp.decisions.press(buttons["Remove pullo"])
        assert camp.roster.names() == ("brutus", "vorenus")
    assert said == "Caesar has been asked whether pullo shall be removed; he decides by button. Go on."
    assert card["text"] == "The Legatus asks to remove pullo. His files are kept."
    assert list(buttons) == ["Remove pullo", "Keep"]
    assert outcome.startswith("pullo has been removed.")


@scene
async def test_an_agent_finds_what_he_may_see_and_who_he_is_stands_in_no_argument(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("@pullo the <tents> are wet")
        await camp.say("@vorenus count the tents")
        await camp.settled(2)
        tool = finder(camp, "vorenus")
        Draft202012Validator(tool.schema).validate({"query": "tent", "limit": MOST_FOUND})
        his = await tool.run({"query": "tent"})
        every = await finder(camp, "legatus").run({"query": "tent", "limit": 1})
        nothing = await finder(camp, "brutus").run({"query": "tent"})
        with pytest.raises(Refused, match="no word"):
            await tool.run({"query": "@pullo"})
    assert his.startswith('1 found, the best 1 of them first.\n<praetorium found="true" viewer="vorenus">')
    assert "count the tents" in his
    assert "wet" not in his
    assert every.startswith("2 found, the best 1 of them first.")
    assert nothing.startswith("0 found")
    assert "<nuntius" not in nothing


@pytest.mark.parametrize("name", ["legatus", "nobody", "../pullo"])
@scene
async def test_who_is_no_centurio_cannot_be_removed_and_caesar_is_not_asked(
    tmp_path: Path, name: str
) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        with pytest.raises(LegioError):
            await call(camp, "remove_centurio", name=name)
        assert await camp.sent() == []


@scene
async def test_a_dispatch_gives_the_centurios_final_text(tmp_path: Path) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' in text:
            return await call(camp, "dispatch_to_centurio", name="VORENUS", message="look it up")
        return "it is blue"

    async with legion(tmp_path / "castra", Stage(say=act)) as camp:
        await camp.say("what colour is it?")
        await camp.settled(2)
        (answer,) = await camp.sent()
    assert answer["text"] == "it is blue"


@scene
async def test_a_dispatch_to_nobody_says_who_there_is(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        with pytest.raises(Refused, match=r"there is no centurio 'titus'\. There is: brutus, pullo, vorenus"):
            await call(camp, "dispatch_to_centurio", name="titus", message="build")


@scene
async def test_what_is_posted_is_on_the_record_for_its_audience(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        said = await call(camp, "post_nuntius", text="we march", audience=["Pullo", "pullo"])
        (posted,) = await camp.praetorium.nuntii.latest("pullo", 5)
        assert await camp.praetorium.nuntii.latest("brutus", 5) == ()
        assert await camp.sent() == []
    assert said == f"Posted as nuntius {posted.seq} to pullo."
    assert (posted.sender, posted.text) == ("legatus", "we march")


@scene
async def test_what_is_posted_to_caesar_reaches_his_chat(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await call(camp, "post_nuntius", text="we march", audience=["caesar", "brutus"])
        (sent,) = await camp.sent()
    assert (sent["heading"], sent["text"]) == ("legatus — legatus's work", "we march")


@pytest.mark.parametrize("audience", [["titus"], "caesar", []])
@scene
async def test_a_post_to_nobody_known_is_refused(tmp_path: Path, audience: object) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        (tool,) = [tool for tool in tools(camp) if tool.name == "post_nuntius"]
        with pytest.raises(Refused, match="unknown audience"):
            await tool.run({"text": "we march", "audience": audience})
        assert await camp.praetorium.nuntii.latest("caesar", 5) == ()


@scene
async def test_the_history_is_the_last_of_the_record_oldest_first(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        for number in range(25):
            await camp.legatus.dispatches.post(f"word {number}", ["brutus"])
        some = await call(camp, "get_history", limit=2)
        many = await call(camp, "get_history")
    assert re.findall(r">(word \d+)<", some) == ["word 23", "word 24"]
    assert len(re.findall(r">word \d+<", many)) == 20
    assert some.startswith('<praetorium recent="true" viewer="legatus">')


# --- all of them ----------------------------------------------------------------------------------------


def names(offered: tuple[Tool, ...]) -> list[str]:
    return [tool.name for tool in offered]


@scene
async def test_every_tool_can_be_offered(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        offered = [*tools(camp), *memoria_tools(FileMemoria(camp.castra, SystemClock()), "legatus")]
        offered.append(finder(camp, "legatus"))
    assert len(set(names(tuple(offered)))) == len(offered), "each name once, across the servers"
    for tool in offered:
        Draft202012Validator.check_schema(tool.schema)
        assert tool.schema["type"] == "object"
        assert tool.schema["additionalProperties"] is False
        assert re.fullmatch(r"[a-z_]{1,40}", tool.name)
        assert len(tool.description) > 20


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_centuriones", {"of": "rome"}),
        ("create_centurio", {"name": "titus"}),
        ("create_centurio", {"name": "titus", "specialization": ""}),
        ("dispatch_to_centurio", {"name": "pullo", "message": ""}),
        ("post_nuntius", {"text": "we march", "audience": []}),
        ("post_nuntius", {"text": "we march", "audience": "all"}),
        ("get_history", {"limit": 0}),
        ("get_history", {"limit": 100_000}),
    ],
)
@scene
async def test_arguments_that_make_no_sense_do_not_pass_the_schema(
    tmp_path: Path, name: str, arguments: Mapping[str, object]
) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        (tool,) = [tool for tool in tools(camp) if tool.name == name]
    assert not Draft202012Validator(tool.schema).is_valid(arguments)


@scene
async def test_no_tool_is_named_like_one_of_the_clis_own(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        ours = names((*tools(camp), *memoria_tools(FileMemoria(camp.castra, SystemClock()), "legatus")))
        ours += names((finder(camp, "legatus"),))
    assert plain(ours).isdisjoint(plain(BUILT_IN))


@pytest.mark.cli
@scene(deadline=60)
async def test_no_tool_is_named_like_one_that_the_real_cli_offers(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        ours = names((*tools(camp), *memoria_tools(FileMemoria(camp.castra, SystemClock()), "legatus")))
    offered = await offered_by_the_cli(tmp_path)
    assert {"Bash", "Read"} <= offered
    assert plain(ours).isdisjoint(plain(offered))


def plain(given: object) -> set[str]:
    """Names as a model may confuse them: `SendMessage` and `send_message`."""
    assert isinstance(given, list | set | frozenset)
    return {str(name).replace("_", "").lower() for name in given}


async def offered_by_the_cli(folder: Path) -> set[str]:
    """The names of the tools that a plain agent with all built-in tools is given."""
    state = ModelState()
    async with model_server(state) as url:
        options = ClaudeAgentOptions(
            env=line(url).environment(str(folder / "home")), setting_sources=[], cwd=folder
        )
        async with ClaudeSDKClient(options) as client:
            await client.query("ave")
            async for _ in client.receive_response():
                pass
    return {name for request in state.requests for name in request.tools}
