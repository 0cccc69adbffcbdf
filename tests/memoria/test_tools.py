"""What each agent may do with the memoria: scope is in the tool, never in an argument."""

import jsonschema
import pytest

from legio.castra import Castra
from legio.errors import DocumentError, LegioError
from legio.memoria.store import FileMemoria
from legio.memoria.tools import memoria_tools
from legio.ports import Kind, Order, Proof, Tool
from tests.clocks import FakeClock
from tests.scenes import scene

CENTURIO_TOOLS = {
    "list_edicta",
    "read_edictum",
    "list_acta",
    "read_actum",
    "publish_actum",
    "list_commentarii",
    "read_commentarium",
    "write_commentarium",
}
LEGATUS_TOOLS = CENTURIO_TOOLS | {"publish_edictum", "revoke_edictum"}

BUILT_IN = frozenset(
    {
        *("Agent", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete", "CronList", "Edit"),
        *("EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillBash"),
        *("KillShell", "ListMcpResources", "LSP", "MultiEdit", "NotebookEdit", "NotebookRead", "Read"),
        *("ReadMcpResource", "ScheduleWakeup", "SendMessage", "Skill", "SlashCommand", "Task", "TaskCreate"),
        *("TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete"),
        *("TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"),
    }
)
"""Tools of the CLI's own, as far as they are known."""


@pytest.fixture
def memoria(castra: Castra) -> FileMemoria:
    castra.post("pullo").mkdir()
    return FileMemoria(castra, FakeClock())


async def call(memoria: FileMemoria, agent: str, tool: str, /, **arguments: object) -> str:
    """As the SDK gate calls: only with arguments that the schema allows."""
    called = named(memoria, agent)[tool]
    jsonschema.validate(arguments, dict(called.schema))
    return await called.run(arguments)


def named(memoria: FileMemoria, agent: str) -> dict[str, Tool]:
    return {tool.name: tool for tool in memoria_tools(memoria, agent, obliging)}


async def obliging(order: Order) -> str:
    """A Caesar who allows everything."""
    return order.enact(Proof("nuntius-1", "caesar"))


def properties(tool: Tool) -> dict[str, dict[str, object]]:
    found = tool.schema["properties"]
    assert isinstance(found, dict)
    return found


# --- who has which ------------------------------------------------------------------------------------


def test_a_centurio_reads_everything_shared_and_keeps_a_journal(memoria: FileMemoria) -> None:
    assert set(named(memoria, "vorenus")) == CENTURIO_TOOLS


def test_the_legatus_alone_gives_orders(memoria: FileMemoria) -> None:
    assert set(named(memoria, "legatus")) == LEGATUS_TOOLS


def test_no_name_is_given_twice_or_like_a_tool_of_the_cli(memoria: FileMemoria) -> None:
    names = [tool.name for tool in memoria_tools(memoria, "legatus")]
    taken = {name.casefold() for name in BUILT_IN}

    assert len(set(names)) == len(names)
    assert not {name.replace("_", "").casefold() for name in names} & taken


@pytest.mark.parametrize("agent", ["legatus", "vorenus"])
def test_every_schema_is_closed_and_bounded(memoria: FileMemoria, agent: str) -> None:
    for tool in memoria_tools(memoria, agent):
        jsonschema.Draft202012Validator.check_schema(dict(tool.schema))
        assert tool.schema["type"] == "object"
        assert tool.schema["additionalProperties"] is False
        for rule in properties(tool).values():
            assert rule["description"]
            assert "maxLength" in rule or rule["type"] == "integer"


def test_no_tool_of_a_centurio_takes_an_agents_name(memoria: FileMemoria) -> None:
    taken = {key for tool in memoria_tools(memoria, "vorenus") for key in properties(tool)}

    assert taken == {"name", "title", "text", "containing", "part"}


def test_only_reading_a_journal_takes_a_centurios_name_from_the_legatus(memoria: FileMemoria) -> None:
    takers = {tool.name for tool in memoria_tools(memoria, "legatus") if "centurio" in properties(tool)}

    assert takers == {"list_commentarii", "read_commentarium"}


# --- edicta and acta ----------------------------------------------------------------------------------


@scene
async def test_an_edictum_is_published_read_by_all_and_revoked(memoria: FileMemoria) -> None:
    written = await call(memoria, "legatus", "publish_edictum", title="Plain words", text="Use them.")
    listed = await call(memoria, "vorenus", "list_edicta")
    read = await call(memoria, "vorenus", "read_edictum", name="plain-words")
    revoked = await call(memoria, "legatus", "revoke_edictum", name="plain-words")

    assert written == "Edictum plain-words is in force from the next turn on."
    assert '<edictum name="plain-words"' in listed
    assert "<text>Use them.</text>" in read
    assert revoked == "Edictum plain-words is out of force from the next turn on; its file is kept."
    assert 'count="0"' in await call(memoria, "vorenus", "list_edicta")


@scene
async def test_where_nobody_can_be_asked_no_order_is_given(memoria: FileMemoria) -> None:
    orders = {tool.name: tool for tool in memoria_tools(memoria, "legatus")}
    with pytest.raises(LegioError, match="nobody is there who could allow it"):
        await orders["publish_edictum"].run({"title": "Plain words", "text": "Use them."})
    assert memoria.list(Kind.EDICTUM).documents == ()


@scene
async def test_an_actum_bears_the_name_of_the_agent_whose_tool_it_was(memoria: FileMemoria) -> None:
    await call(memoria, "vorenus", "publish_actum", title="Tides", text="High at noon.")
    await call(memoria, "pullo", "publish_actum", title="Bridge", text="Built.")

    authors = {each.name: each.author for each in memoria.list(Kind.ACTUM).documents}

    assert authors == {"tides": "vorenus", "bridge": "pullo"}
    assert "<text>High at noon.</text>" in await call(memoria, "pullo", "read_actum", name="tides")


@scene
async def test_an_argument_cannot_name_another_author(memoria: FileMemoria) -> None:
    tool = named(memoria, "vorenus")["publish_actum"]

    await tool.run({"title": "Tides", "text": "High.", "author": "caesar", "owner": "pullo"})

    (actum,) = memoria.list(Kind.ACTUM).documents
    assert (actum.author, actum.owner) == ("vorenus", "")


@scene
async def test_a_listing_is_searched_and_a_long_text_read_in_parts(memoria: FileMemoria) -> None:
    await call(memoria, "vorenus", "publish_actum", title="Tides", text="x" * 30_000)
    await call(memoria, "vorenus", "publish_actum", title="Bridge", text="Built.")

    assert 'count="1"' in await call(memoria, "vorenus", "list_acta", containing="BUILT")
    assert 'part="2" parts="2"' in await call(memoria, "vorenus", "read_actum", name="tides", part=2)


@scene
async def test_a_warning_comes_with_the_word_that_it_was_written(memoria: FileMemoria) -> None:
    written = await call(memoria, "vorenus", "publish_actum", title="Tides", text="x" * 60_000)

    assert written.splitlines()[1].startswith("Warning: &#x27;tides&#x27; holds 60 KB")


@scene
async def test_what_is_missing_is_an_error_that_says_what_there_is(memoria: FileMemoria) -> None:
    await call(memoria, "vorenus", "publish_actum", title="Tides", text="High.")

    with pytest.raises(DocumentError, match="There are: tides"):
        await call(memoria, "pullo", "read_actum", name="tide")


# --- commentarii --------------------------------------------------------------------------------------


@scene
async def test_a_journal_is_its_owners(memoria: FileMemoria) -> None:
    await call(memoria, "vorenus", "write_commentarium", title="Open points", text="Ask again.")

    assert "open-points" in await call(memoria, "vorenus", "list_commentarii")
    assert "Ask again." in await call(memoria, "vorenus", "read_commentarium", name="open-points")
    assert 'count="0"' in await call(memoria, "pullo", "list_commentarii")
    with pytest.raises(DocumentError, match="there is no commentarium"):
        await call(memoria, "pullo", "read_commentarium", name="open-points")


@scene
async def test_a_centurio_who_names_another_reads_and_writes_his_own_all_the_same(
    memoria: FileMemoria,
) -> None:
    await call(memoria, "vorenus", "write_commentarium", title="Secret", text="Mine.")
    tools = named(memoria, "pullo")

    listed = await tools["list_commentarii"].run({"centurio": "vorenus", "owner": "vorenus"})
    await tools["write_commentarium"].run({"title": "T", "text": "X", "centurio": "vorenus"})

    assert 'count="0"' in listed
    assert len(memoria.list(Kind.COMMENTARIUM, "vorenus").documents) == 1
    assert len(memoria.list(Kind.COMMENTARIUM, "pullo").documents) == 1


@scene
async def test_the_legatus_reads_every_journal_and_writes_his_own(memoria: FileMemoria) -> None:
    await call(memoria, "vorenus", "write_commentarium", title="Open points", text="Ask again.")
    await call(memoria, "legatus", "write_commentarium", title="Mine", text="Caesar likes it short.")

    his = await call(memoria, "legatus", "read_commentarium", name="open-points", centurio="Vorenus")

    assert "Ask again." in his
    assert "open-points" in await call(memoria, "legatus", "list_commentarii", centurio="vorenus")
    assert 'name="mine"' in await call(memoria, "legatus", "list_commentarii")
    assert 'name="mine"' in await call(memoria, "legatus", "list_commentarii", centurio="legatus")


@scene
async def test_a_name_that_leads_elsewhere_is_refused(memoria: FileMemoria) -> None:
    for name in ("../edicta", "caesar", ""):
        with pytest.raises(LegioError, match=r"cannot be a centurio's name|is reserved"):
            await call(memoria, "legatus", "list_commentarii", centurio=name)
