"""Who talked to whom, as the record counts it."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from legio.nuntius import Nuntius
from legio.ports import Exchange
from legio.praetorium import Praetorium
from legio.praetorium.talk import EXCHANGES
from tests.praetorium.record import START, praetorium_in, said
from tests.scenes import scene

DAY = timedelta(days=1)


async def posted(praetorium: Praetorium, *nuntii: Nuntius, days: int = 0) -> None:
    for number, nuntius in enumerate(nuntii):
        dated = replace(nuntius, id=f"{days} {number}", timestamp=START + days * DAY)
        await praetorium.nuntii.post(dated)


@scene
async def test_what_was_said_is_counted_by_sender_and_hearer_from_a_moment_on(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await posted(praetorium, said("old", "caesar", ("pullo",)))
        await posted(
            praetorium,
            said("ave", "caesar", ("pullo", "vorenus")),
            said("ave", "pullo", ("caesar", "vorenus")),
            said("ave", "pullo", ("caesar",)),
            said("ave", "legatus", ("all",)),
            days=2,
        )
        since = await praetorium.talk.exchanges(START + DAY)
        ever = await praetorium.talk.exchanges(START)
        assert since == (
            Exchange("caesar", "pullo", 1),
            Exchange("caesar", "vorenus", 1),
            Exchange("legatus", "all", 1),
            Exchange("pullo", "caesar", 2),
            Exchange("pullo", "vorenus", 1),
        )
        assert ever == (replace(since[0], nuntii=2), *since[1:])
        assert await praetorium.talk.exchanges(START + 3 * DAY) == ()


@scene
async def test_an_empty_record_knows_of_no_talk(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.talk.exchanges(START) == ()


@scene
async def test_only_the_span_is_read_and_by_index(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        rows = await praetorium.database.rows(f"EXPLAIN QUERY PLAN {EXCHANGES}", ("2026",))
        plan = " · ".join(row["detail"] for row in rows)
        assert "SEARCH heard USING PRIMARY KEY (name=? AND seq>?)" in plan
        assert "SEARCH nuntii USING INTEGER PRIMARY KEY" in plan
        assert "SEARCH nuntii USING COVERING INDEX nuntii_by_timestamp" in plan
        assert "SCAN nuntii" not in plan
        assert "SCAN nuntius_audience" not in plan
