"""What Caesar reads of money, and the picture that follows."""

from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from PIL import Image

from legio.attachments import Depot
from legio.bot.commands.money import NOTHING, tables
from legio.config import BudgetConfig
from legio.days import beginning
from legio.ports import Expense
from tests.bot.desks import desk
from tests.camp import Legion
from tests.fakes import Stage
from tests.scenes import scene

PHONE = 32
"""Characters of one width on a line of a usual phone's bubble."""


def spans(*today: Expense) -> dict[str, list[Expense]]:
    return {
        "today": list(today),
        "week": list(today),
        "month": [*today, Expense("titus", 1, 999_950, 1234.4)],
    }


async def spent(camp: Legion, ended: datetime, agent: str, usd: float) -> None:
    """A turn of that agent that ended then."""
    change = "UPDATE turns SET ended = ?, cost_usd = ? WHERE id = (SELECT max(id) FROM turns WHERE agent = ?)"
    await camp.say(f"@{agent} work")
    await camp.settled(len(camp.ended) + 1)
    stamp = ended.astimezone(camp.clock.now().tzinfo).isoformat(timespec="microseconds")
    await camp.praetorium.database.change(change, (stamp, usd, agent))


def test_the_tables_fit_a_phone_and_add_up() -> None:
    shown = tables(
        spans(Expense("legatus", 2, 12_345, 0.25), Expense("a-centurio-with-a-very-long-name", 1, 10, 0.001))
    )
    assert shown == "\n".join(
        [
            "US $         today   week  month",
            "────────────────────────────────",
            "titus        $0.00  $0.00 $1,234",
            "legatus      $0.25  $0.25  $0.25",
            "a-centurio…  <$.01  <$.01  <$.01",
            "────────────────────────────────",
            "total        $0.25  $0.25 $1,235",
            "",
            "tokens       today   week  month",
            "────────────────────────────────",
            "titus            0      0   1.0M",
            "legatus      12.3k  12.3k  12.3k",
            "a-centurio…     10     10     10",
            "────────────────────────────────",
            "total        12.4k  12.4k   1.0M",
        ]
    )
    assert max(map(len, shown.splitlines())) == PHONE


@pytest.mark.parametrize("usd", [0.0, 0.001, 9.999, 999.994, 999.999, 123_456.0, 9.9e8])
@pytest.mark.parametrize("tokens", [0, 999, 99_949, 999_999, 99_999_999, 10**12])
def test_no_amount_breaks_the_table(usd: float, tokens: int) -> None:
    shown = tables(spans(Expense("legatus", 1, tokens, usd)))
    assert {len(line) for line in shown.splitlines() if line} == {PHONE}


@scene
async def test_before_anything_was_spent_that_is_said_and_nothing_is_drawn(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        reply = await commands.run("/cost")
    assert (reply.text, reply.shown, reply.file) == (NOTHING, None, None)


@scene
async def test_what_was_spent_is_shown_by_agent_and_the_last_days_are_drawn(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@vorenus @pullo work")
        await camp.settled(2)
        reply = await commands.run("/cost")
        assert reply.file is not None
        with Image.open(Depot(camp.castra).path(reply.file.path)) as picture:
            assert (picture.format, picture.size) == ("PNG", (640, 480))
    assert reply.shown is not None
    (block,) = reply.shown.entities
    table = reply.shown.text[block.offset : block.offset + block.length]
    assert (block.type, reply.shown.text) == ("pre", reply.text)
    assert "pullo        $0.01  $0.01  $0.01" in table
    assert "total        $0.02  $0.02  $0.02" in table
    assert "vorenus         15     15     15" in table
    assert reply.file.picture


@scene
async def test_a_day_begins_at_the_owners_midnight(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        now = camp.clock.now().astimezone(camp.standing.zone)
        midnight = beginning(now.date(), camp.standing.zone)
        await spent(camp, midnight, "vorenus", 0.5)
        await spent(camp, midnight - timedelta(seconds=1), "pullo", 0.25)
        text = (await commands.run("/cost")).text
    (row,) = [line for line in text.splitlines() if line.startswith("total") and "$" in line]
    assert row.split()[1] == "$0.50"


@scene
async def test_the_caps_and_what_caesar_raised_stand_below(tmp_path: Path) -> None:
    async with desk(tmp_path, budget=BudgetConfig(day_usd=5.0, agent_day_usd=1.0)) as (commands, camp, _):
        await camp.say("ave")
        await camp.settled(1)
        today: date = camp.clock.now().astimezone(camp.standing.zone).date()
        await camp.praetorium.costs.raise_caps(today, {"": 2.5, "pullo": 0.5})
        lines = (await commands.run("/cost")).text.splitlines()
    assert lines[-2:] == ["Budget today: $0.01 of $7.50", "Budget of each agent: $1.00 a day, pullo $1.50"]


@scene
async def test_a_castra_that_takes_no_picture_still_shows_the_table(tmp_path: Path) -> None:
    async with desk(tmp_path, Stage()) as (commands, camp, _):
        await camp.say("ave")
        await camp.settled(1)
        camp.castra.attachments.write_text("a file where the folder should be")
        reply = await commands.run("/cost")
    assert (reply.file, "legatus" in reply.text) == (None, True)
