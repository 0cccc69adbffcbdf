import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from legio.decisions import Decisions
from legio.errors import LegioError, Refused
from legio.nuntius import Nuntius, Turn
from legio.ports import Button, Tool
from legio.standing.standing import Standing
from legio.standing.tools import standing_tools
from tests.clocks import FakeClock
from tests.scenes import scene
from tests.standing.clock import SATURDAY, ZURICH
from tests.standing.memory import MemorySchedules
from tests.test_toolset import BUILT_IN


class Table:
    """The tools, and what Caesar was shown."""

    def __init__(self, origin: str = "") -> None:
        self.clock = FakeClock(SATURDAY)
        self.decisions = Decisions(self.clock)
        self.standing = Standing(MemorySchedules(), self.clock, ZURICH)
        self.shown: list[tuple[str, Sequence[Button]]] = []
        turn = Turn(1, "legatus", Nuntius("id", "caesar", "x", ("legatus",), SATURDAY, origin=origin), 1)
        self.tools = {
            tool.name: tool for tool in standing_tools(self.standing, self.decisions, self.tell, lambda: turn)
        }

    async def tell(self, text: str, buttons: Sequence[Button]) -> None:
        self.shown.append((text, buttons))

    async def use(self, name: str, **arguments: object) -> str:
        tool: Tool = self.tools[name]
        Draft202012Validator(tool.schema).validate(arguments)
        return await tool.run(arguments)


@scene
async def test_a_reminder_is_set_up_said_in_full_and_shown_to_caesar() -> None:
    table = Table()

    said = await table.use("schedule", kind="reminder", text="call Livia", when="tomorrow at nine")

    assert said == (
        "Understood, as schedule 1: ⏰ Sunday 22 November 2026 09:00 Europe/Zurich. It is now"
        " Saturday 21 November 2026 18:00 Europe/Zurich. Caesar was shown it, with a button to undo it."
    )
    ((shown, buttons),) = table.shown
    assert shown == (
        "⏰ Sunday 22 November 2026 09:00 Europe/Zurich\nreminder 1: call Livia, set up by the Legatus."
    )
    assert await table.decisions.press(buttons[0].data) == "Undone: nothing is set up."
    assert await table.standing.all() == ()


@scene
async def test_what_stands_is_listed_with_the_time() -> None:
    table = Table()
    await table.use("schedule", kind="task", text="@vorenus survey", when="every Monday 8:00")

    assert await table.use("list_schedules") == (
        "1 · task, set up by the Legatus · ⏰ Monday 23 November 2026 08:00 Europe/Zurich, then every Monday"
        " at 08:00\n@vorenus survey\nIt is now Saturday 21 November 2026 18:00 Europe/Zurich."
    )


@scene
async def test_what_is_taken_away_comes_back_by_button() -> None:
    table = Table()
    await table.use("schedule", kind="reminder", text="tea", when="in 20 minutes")

    assert (await table.use("unschedule", number=1)).startswith("Schedule 1 does not stand any more.")
    text, buttons = table.shown[-1]
    assert text == "The Legatus took away reminder 1: tea."
    assert (await table.decisions.press(buttons[0].data)).startswith("It stands again: ⏰ Saturday")
    assert len(await table.standing.all()) == 1


@scene
async def test_what_is_not_understood_is_refused_with_examples() -> None:
    table = Table()

    with pytest.raises(Refused, match='Write it like "in 20 minutes"'):
        await table.use("schedule", kind="reminder", text="tea", when="soon")
    with pytest.raises(LegioError, match="no schedule 7 stands"):
        await table.use("unschedule", number=7)
    assert table.shown == []


@scene
async def test_a_turn_that_a_schedule_began_breeds_no_tasks() -> None:
    table = Table(origin="schedule 1 (every day), set up by legatus.")

    with pytest.raises(Refused, match="sets up no further task"):
        await table.use("schedule", kind="task", text="more", when="in 20 minutes")
    await table.use("schedule", kind="reminder", text="tea", when="in 20 minutes")


@scene
async def test_an_undo_that_nobody_pressed_says_that_it_stands() -> None:
    table = Table()
    ended: list[str] = []
    table.decisions.listen(lambda _, said: ended.append(said))
    await table.use("schedule", kind="reminder", text="tea", when="in 20 minutes")
    await table.use("unschedule", number=1)
    expiring = asyncio.create_task(table.decisions.expire())

    await table.clock.run(3600)
    expiring.cancel()
    await asyncio.gather(expiring, return_exceptions=True)

    assert ended == ["It stands; /unschedule 1 takes it away.", "It is taken away."]


@pytest.mark.parametrize("tool", list(Table().tools.values()), ids=lambda tool: tool.name)
def test_the_schemas_are_sound_and_no_name_is_one_of_the_clis(tool: Tool, tmp_path: Path) -> None:
    Draft202012Validator.check_schema(tool.schema)
    assert tool.name not in {re.sub("_", "", name).lower() for name in BUILT_IN}
    assert json.dumps(tool.schema)
