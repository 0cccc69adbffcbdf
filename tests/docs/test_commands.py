import re
from pathlib import Path
from typing import cast

import pytest

from legio.attachments import Sending, file_tools
from legio.cli import BUG, COMMANDS, EXPECTED, INTERRUPTED
from legio.clock import SystemClock
from legio.dispatches import HOP_BUDGET
from legio.memoria.store import FileMemoria
from legio.memoria.tools import memoria_tools
from legio.nuntius import LEGATUS
from legio.ports import Tool
from legio.standing.tools import standing_tools
from legio.toolset import legatus_tools, search_tools
from tests.bot.desks import desk
from tests.camp import legion
from tests.docs.pages import rows, section
from tests.fakes import Stage
from tests.scenes import scene

PAGE = "docs/commands.md"
SENDING = file_tools(cast("Sending", None), "anybody")  # who sends is asked when it is called


@scene
async def test_every_command_of_caesars_is_documented_as_it_is_and_no_other(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        table = [(f"`{command.usage}`", command.meaning) for command in commands.table]

    assert rows(section(PAGE, "## Caesar's commands")) == table


def arguments(tool: Tool) -> str:
    properties, required = tool.schema["properties"], tool.schema["required"]
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    return ", ".join(name if name in required else f"[{name}]" for name in properties)


def documented(who: str) -> dict[str, str]:
    """The tools that the page gives to a kind of agent, with their arguments."""
    tools = rows(section(PAGE, "## The agents' tools"))
    return {name.strip("`"): needs for name, needs, whose, _ in tools if whose in ("all", who)}


@scene
async def test_every_tool_of_a_centurio_is_documented_and_no_other(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        looked = search_tools(camp.praetorium.search, "vorenus")
    tools = (*memoria_tools(FileMemoria(camp.castra, SystemClock()), "vorenus"), *looked, *SENDING)
    assert documented("centurio") == {tool.name: arguments(tool) for tool in tools}


@scene
async def test_every_tool_of_the_legatus_is_documented_and_no_other(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        own = legatus_tools(
            camp.legatus, camp.roster, camp.praetorium.nuntii, camp.decisions, camp.recruiting
        )
        later = standing_tools(camp.standing, camp.decisions, camp.legatus.tell, lambda: None)
    looked = search_tools(camp.praetorium.search, LEGATUS)
    tools = (
        *memoria_tools(FileMemoria(camp.castra, SystemClock()), LEGATUS),
        *looked,
        *SENDING,
        *own,
        *later,
    )
    assert documented("Legatus") == {tool.name: arguments(tool) for tool in tools}


def test_a_tool_is_given_to_somebody_who_exists() -> None:
    assert {whose for _, _, whose, _ in rows(section(PAGE, "## The agents' tools"))} == {
        "all",
        "centurio",
        "Legatus",
    }


def test_the_budget_of_dispatches_is_the_one_that_holds() -> None:
    assert f"at most {HOP_BUDGET} dispatches" in section(PAGE, "## The agents' tools")


COMMAND_LINE = [cells for cells in rows(section(PAGE, "## The command line")) if cells[0].startswith("`")]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_of_the_command_line_is_documented(command: object) -> None:
    name, meaning = getattr(command, "name"), getattr(command, "meaning")  # noqa: B009
    assert (f"`legio {name}`", meaning) in COMMAND_LINE


def test_no_command_is_documented_that_the_command_line_does_not_know() -> None:
    names = {found[1] for cells in COMMAND_LINE if (found := re.fullmatch(r"`legio (\w+)`", cells[0]))}
    assert names == {command.name for command in COMMANDS}


def test_the_exit_codes_are_those_of_the_program() -> None:
    codes = [int(cells[0]) for cells in rows(section(PAGE, "## The command line")) if cells[0].isdigit()]
    assert codes == [0, EXPECTED, BUG, INTERRUPTED]
