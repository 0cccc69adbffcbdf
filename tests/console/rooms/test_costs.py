"""The room Costs and health over HTTP, on a real record: its figures, its signs, its outbox."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from legio.config import BudgetConfig
from legio.console.rooms.costs import MOST_DAYS, NARROWEST, WIDEST, costs_room
from legio.errors import PraetoriumError
from legio.events import Usage
from legio.nuntius import TurnState
from legio.ports import Reception
from tests.console.rig import page_of
from tests.console.rooms.costing import USAGE, Counted, counted
from tests.praetorium.record import parcel, said
from tests.scenes import scene
from tests.scorecard.table import page
from tests.scorecard.test_table import RESULTS

DAY = timedelta(days=1)
TOKEN = "123456:" + "A" * 35


@contextlib.asynccontextmanager
async def room(
    folder: Path, budget: BudgetConfig | None = None
) -> AsyncIterator[tuple[httpx.AsyncClient, Counted]]:
    async with (
        counted(folder, budget) as record,
        page_of(costs_room(record.sources)) as url,
        httpx.AsyncClient(base_url=f"{url}/camp/costs/", trust_env=False, verify=False) as client,
    ):
        yield client, record


async def told(client: httpx.AsyncClient, path: str, **asked: object) -> Any:
    answer = await client.get(path, params={name: str(value) for name, value in asked.items()})
    assert answer.status_code == 200, answer.text
    return answer.json()


# --- costs -------------------------------------------------------------------------------------------------


@scene
async def test_what_the_days_took_is_told_by_agent(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        await record.took("vorenus")
        await record.took("vorenus", back=6 * DAY)
        await record.took("pullo", replace(USAGE, cost_usd=0.0001), back=DAY, state=TurnState.FAILED)
        await record.took("brutus", back=8 * DAY)

        week = await told(client, "figures", days=7, width=326)
        month = await told(client, "figures")

    assert (week["since"], week["until"], week["zone"]) == ("2026-03-09", "2026-03-15", "Europe/Rome")
    assert [row["cells"] for row in week["rows"]] == [
        ["$0.50", "2", "0", "3.0 s", "20", "400", "6,000", "80,000"],
        ["$0.0001", "1", "1", "1.5 s", "10", "200", "3,000", "40,000"],
    ]
    assert [each["total"] for each in week["charts"]] == ["$0.50", "129,630", "3", "4.5 s", "1"]
    assert 'viewBox="0 0 326 ' in week["charts"][0]["svg"]
    assert [row["name"] for row in month["rows"]] == ["vorenus", "brutus", "pullo"]


@scene
async def test_what_the_days_took_is_told_by_model(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        await record.took("vorenus", replace(USAGE, model="<b>haiku</b>"))
        await record.took("pullo", Usage(), state=TurnState.EXPIRED)

        by_model = await told(client, "figures", by="model")

    assert [(row["name"], row["cells"][0]) for row in by_model["rows"]] == [
        ("<b>haiku</b>", "$0.25"),
        ("no model", "$0.00"),
    ]
    assert by_model["charts"][0]["head"] == ["Day", "<b>haiku</b>", "no model", "all"]


@scene
async def test_a_day_begins_where_the_owner_lives(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        await record.took("vorenus", back=timedelta(hours=6, minutes=59))  # 23:01 UTC, past midnight in Rome
        await record.took("pullo", back=timedelta(hours=7, minutes=1))

        found = await told(client, "figures", days=1)

    assert [row["name"] for row in found["rows"]] == ["vorenus"]


@scene
async def test_where_no_turn_ever_ended_there_is_nothing(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, _):
        found = await told(client, "figures", days=90)
    assert (found["rows"], found["legend"], found["charts"]) == ([], [], [])


@scene
async def test_a_turn_that_has_not_ended_took_nothing_yet(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        await record.praetorium.turns.admit(said("how deep"), ["vorenus"])
        assert (await told(client, "figures"))["rows"] == []


@pytest.mark.parametrize(
    ("asked", "days", "width"),
    [
        ({"days": 0, "width": 0}, 1, NARROWEST),
        ({"days": 10**9, "width": 10**9}, MOST_DAYS, WIDEST),
        ({"days": "", "width": ""}, 30, 640),
    ],
)
@scene
async def test_what_is_asked_for_is_kept_within_bounds(
    tmp_path: Path, asked: dict[str, object], days: int, width: int
) -> None:
    async with room(tmp_path) as (client, record):
        await record.took("vorenus")
        await record.took("pullo", back=(days - 1) * DAY)
        await record.took("titus", back=days * DAY)

        found = await told(client, "figures", **asked)

    assert sorted(row["name"] for row in found["rows"]) == ["pullo", "vorenus"]
    assert f'viewBox="0 0 {width} ' in found["charts"][0]["svg"]


@pytest.mark.parametrize("asked", ["days=-1", "days=x", "days=1e3", "width=%00", "by=day", "by=%3Cscript%3E"])
@scene
async def test_what_makes_no_sense_is_refused(tmp_path: Path, asked: str) -> None:
    async with room(tmp_path) as (client, _):
        answer = await client.get(f"figures?{asked}")
    assert answer.status_code == 400
    assert answer.json()["error"].endswith("Load the page again.")


# --- health ------------------------------------------------------------------------------------------------


@scene
async def test_a_legio_that_is_well_says_so_with_its_law(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        for state in (TurnState.ANSWERED, TurnState.FAILED, TurnState.STOPPED, TurnState.EXPIRED):
            await record.took("vorenus", state=state)
        await record.laid.turn("pullo")
        record.laid.clock.advance(5.0)

        found = await told(client, "health")

    assert (found["well"], found["complaints"], found["caps"]) == (True, [], [])
    assert found["pulse"]["law"] == {
        "received": 5, "answered": 1, "failed": 1, "stopped": 1, "expired": 1, "pending": 1, "holds": True,
    }  # fmt: skip
    pulse = found["pulse"]
    assert (pulse["uptime"], pulse["own"], pulse["started"], pulse["sessions"]) == (3600.0, 50e6, 600e6, 3)
    assert (pulse["slowest"], pulse["error"], pulse["silent"]) == ("pullo", None, 2.5)


@scene
async def test_a_law_that_is_broken_is_seen(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        await record.took("vorenus", state=TurnState.FAILED)
        await record.praetorium.database.change("DELETE FROM turns")

        law = (await told(client, "health"))["pulse"]["law"]

    assert (law["received"], law["failed"], law["holds"]) == (1, 0, False)


@scene
async def test_what_is_wrong_is_said_in_sentences_without_a_secret(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        record.vitals.reception = Reception(deaf=f"Telegram does not know {TOKEN}.", troubles=3)
        deaf = await told(client, "health")
        record.vitals.trouble = PraetoriumError("the praetorium is damaged.", where="p.db")
        damaged = await told(client, "health")

    assert (deaf["well"], deaf["complaints"]) == (False, ["Telegram does not know [redacted]."])
    assert deaf["pulse"]["troubles"] == 3
    assert damaged == {
        "well": False, "complaints": ["p.db: the praetorium is damaged."], "pulse": None, "caps": [],
    }  # fmt: skip


@scene
async def test_what_is_left_of_the_budget_is_told(tmp_path: Path) -> None:
    async with room(tmp_path, BudgetConfig(day_usd=2.0, agent_day_usd=1.0)) as (client, record):
        await record.took("vorenus")
        await record.took("vorenus", back=DAY)
        await record.laid.budget.reserve(await record.laid.turn("vorenus"))

        caps = (await told(client, "health"))["caps"]

    assert caps == [
        {"whose": "", "configured": 2.0, "raised": 0.0, "spent": 0.25, "kept": 0.25, "size": 2.0},
        {"whose": "vorenus", "configured": 1.0, "raised": 0.0, "spent": 0.25, "kept": 0.25, "size": 1.0},
    ]


# --- the outbox --------------------------------------------------------------------------------------------


@scene
async def test_what_waits_and_what_was_given_up_are_listed(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        await record.written("The ford is <b>deep</b>.", "Second.")
        await record.praetorium.outbox.add([parcel("{}")])
        await record.failed(f"Forbidden: https://api.telegram.org/bot{TOKEN}/sendMessage")
        await record.failed("Bad Gateway", final=False)

        found = await told(client, "outbox")
        pulse = (await told(client, "health"))["pulse"]

    (given_up,), (second, third) = found["undelivered"], found["unsent"]
    assert given_up["carries"] == "The ford is <b>deep</b>."
    assert TOKEN not in given_up["error"]
    assert given_up["error"].startswith("Forbidden: ")
    assert given_up["created"] == "2026-03-15T06:00:00+00:00"
    assert (second["carries"], second["tries"], second["error"], second["doubtful"]) == (
        "Second.", 1, "Bad Gateway", True,
    )  # fmt: skip
    assert (third["carries"], third["tries"], third["error"]) == ("(cannot be read)", 0, "")
    assert (pulse["outbox"], pulse["undeliverable"]) == (2, 1)


@scene
async def test_what_was_given_up_is_sent_again_and_the_outbox_looked_at(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        await record.written("first", "second")
        await record.failed("Forbidden")
        await record.failed("Forbidden")
        assert record.woken == []

        sent = await client.post("retry", json={})
        again = await client.post("retry", json={})

        assert (sent.json(), again.json()) == ({"count": 2}, {"count": 0})
        assert record.woken
        assert len(await record.praetorium.outbox.due()) == 2
        assert (await told(client, "outbox"))["undelivered"] == []


@scene
async def test_nothing_is_sent_again_by_looking_or_by_a_form(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, record):
        await record.written("first")
        await record.failed("Forbidden")

        looked = await client.get("retry")
        formed = await client.post("retry", data={"count": "1"})

        assert (looked.status_code, formed.status_code) == (405, 400)
        assert len(await record.praetorium.ledger.undelivered()) == 1
        assert record.woken == []


# --- the scorecard -----------------------------------------------------------------------------------------


@scene
async def test_the_scorecard_is_shown_where_one_was_measured(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, _):
        none = await told(client, "scorecard")
        (tmp_path / "scorecard.md").write_text(
            page(RESULTS, measured="2026-11-21", minutes=12.0), encoding="utf-8"
        )
        measured = await told(client, "scorecard")

    assert none == {"measured": "", "explained": "", "head": [], "groups": []}
    assert [group["name"] for group in measured["groups"]] == ["Crashes", "Model"]
    assert measured["groups"][0]["rows"][0] == {
        "name": "kill -9",
        "figures": ["200", "1,400", "1,400", "0", "0", "2.2 s", "5 s"],
        "good": True,
        "note": "seed 1",
    }
