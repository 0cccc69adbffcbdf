from pathlib import Path

from legio.clock import SystemClock
from legio.nuntius import LEGATUS, visible
from legio.praetorium import open_praetorium
from tests.bench.record import LAST, QUIET, VIEWERS, grow, record
from tests.scenes import scene

COUNT = 12_000


@scene
async def test_a_grown_record_is_sound_and_everyone_sees_the_last_that_he_may(tmp_path: Path) -> None:
    async with open_praetorium(tmp_path / "praetorium.db", SystemClock()) as praetorium:
        await grow(praetorium, COUNT)
        everything = await praetorium.nuntii.latest(LEGATUS, COUNT)

        assert await praetorium.check() == ()
        assert len(everything) == COUNT
        for viewer in VIEWERS:
            may_see = [nuntius for nuntius in everything if visible(viewer, nuntius)]
            assert await praetorium.nuntii.latest(viewer, LAST) == tuple(may_see[-LAST:])


@scene
async def test_who_is_quiet_was_last_spoken_to_long_ago(tmp_path: Path) -> None:
    async with open_praetorium(tmp_path / "praetorium.db", SystemClock()) as praetorium:
        await grow(praetorium, COUNT)
        last = await praetorium.nuntii.latest(QUIET, 1, sender=QUIET)

    assert last[0].seq <= COUNT / 100


@scene
async def test_what_is_read_and_written_is_counted(tmp_path: Path) -> None:
    reading, written = await record(tmp_path, nuntii=COUNT, reads=25, posts=3)

    async with open_praetorium(tmp_path / "praetorium.db", SystemClock()) as praetorium:
        tally = await praetorium.turns.tally()
        last = await praetorium.nuntii.latest(LEGATUS, 1)
        assert await praetorium.check() == ()

    samples = (reading.latest, reading.pages, written.posts, written.admissions)
    assert [len(sample.seconds) for sample in samples] == [25, 2, 3, 3]
    assert reading.megabytes > 1
    assert (tally.received, tally.pending, last[0].seq) == (3, 3, COUNT + 6)
