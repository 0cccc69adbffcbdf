"""What is written out is read a part at a time, and never more of it than is asked for."""

import contextlib
from datetime import UTC
from pathlib import Path

import pytest

from legio.console.exporting import PART, Exporting, newest
from legio.errors import Refused
from legio.nuntius import Nuntius
from legio.ports import Selection
from tests.praetorium.record import START, praetorium_in
from tests.scenes import scene

GROW = """
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
    INSERT INTO nuntii (id, sender, text, audience, timestamp)
    SELECT n, 'caesar', 'tents ' || n, '["legatus"]', ? FROM numbers
"""
COUNT = 2 * PART + 3


@scene
async def test_a_long_record_is_written_in_parts_each_nuntius_once(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.database.change(GROW, (COUNT, START.isoformat(timespec="microseconds")))
        exporting = Exporting(praetorium.chronicle, praetorium.search, UTC)

        parts = [[each.seq for each in part] async for part in exporting.selected(Selection())]
        found = await exporting.sought("tents", Selection())
        picked = [len(part) async for part in exporting.picked([*found, *found])]
        assert await newest(praetorium.chronicle) == COUNT

    assert [len(part) for part in parts] == picked == [PART, PART, 3]
    assert [seq for part in parts for seq in part] == sorted(found) == list(range(1, COUNT + 1))


@scene
async def test_no_more_is_read_than_is_taken(tmp_path: Path) -> None:
    read: list[int] = []

    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.database.change(GROW, (COUNT, START.isoformat(timespec="microseconds")))

        class Counting:
            """The real pages, each noted when it is asked for."""

            names = praetorium.chronicle.names
            picked = praetorium.chronicle.picked
            conversation = praetorium.chronicle.conversation

            async def page(
                self, selection: Selection, limit: int, *, before: int | None = None, after: int | None = None
            ) -> tuple[Nuntius, ...]:
                read.append(after or 0)
                return await praetorium.chronicle.page(selection, limit, before=before, after=after)

        exporting = Exporting(Counting(), praetorium.search, UTC)
        async with contextlib.aclosing(exporting.written("jsonl", exporting.selected(Selection()))) as parts:
            first = await anext(parts)

    assert first.count("\n") == PART
    assert read == [0]


@scene
async def test_a_form_that_is_not_there_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        exporting = Exporting(praetorium.chronicle, praetorium.search, UTC)
        with pytest.raises(Refused, match="no form 'exe'"):
            exporting.answer("exe", exporting.selected(Selection()))
