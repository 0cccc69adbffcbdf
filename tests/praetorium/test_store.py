import sqlite3
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from legio.errors import PraetoriumError
from legio.ports import Letter
from legio.praetorium import Praetorium
from tests.praetorium.record import START, StillClock, praetorium_in
from tests.scenes import scene

ROOT = Path(__file__).parents[2]
LIVES = 6
DEADLINE_SECONDS = 20.0


@dataclass
class Witness:
    """What the killed processes said was committed: the numbers of each kind of step."""

    said: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def listen(self, line: str) -> None:
        step, _, number = line.partition(" ")
        if number:
            self.said[step].append(int(number))


def one_life(path: Path, steps: int, witness: Witness) -> None:
    """Let a labourer print `steps` lines and kill it wherever it is then."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.praetorium.labourer", str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        for _ in range(steps):
            witness.listen(process.stdout.readline().strip())
        process.kill()
        # What was printed before the kill was committed before it was printed; the last line may be cut.
        for line in process.stdout.read().splitlines()[:-1]:
            witness.listen(line)


async def numbers(praetorium: Praetorium, query: str) -> set[int]:
    return {row[0] for row in await praetorium.database.rows(query)}


async def judge(praetorium: Praetorium, witness: Witness) -> None:
    assert await praetorium.check() == ()
    assert (await praetorium.turns.tally()).holds
    put = await numbers(praetorium, "SELECT update_id FROM inbox")
    ended = await numbers(praetorium, "SELECT id FROM turns WHERE ended IS NOT NULL")
    sent = await numbers(praetorium, "SELECT id FROM outbox WHERE state = 'sent'")
    assert set(witness.said["put"]) <= put
    assert set(witness.said["ended"]) <= ended
    assert set(witness.said["sent"]) <= sent
    lonely = await praetorium.database.rows(
        "SELECT seq FROM nuntii WHERE sender = 'caesar'"
        " AND (SELECT count(*) FROM turns WHERE turns.nuntius = nuntii.seq) <> 2"
    )
    assert lonely == []
    endings = await praetorium.database.rows("SELECT count(*) FROM turns WHERE ended IS NOT NULL")
    told = await praetorium.database.rows("SELECT count(*) FROM outbox WHERE payload NOT LIKE 'notice%'")
    assert endings[0][0] == told[0][0]


def test_killed_at_any_instant_nothing_is_lost_doubled_or_half_written(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    witness = Witness()
    chance = Random(27)

    @scene
    async def examine() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            await judge(praetorium, witness)

    for _ in range(LIVES):
        one_life(path, 1 + chance.randrange(60), witness)
        examine()

    assert len(witness.said["ended"]) > LIVES
    assert len(set(witness.said["ended"])) == len(witness.said["ended"])


@scene
async def test_a_check_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.database.run(lambda raw: raw.execute("PRAGMA busy_timeout = 0").fetchall())
        await praetorium.database.run(lambda raw: raw.execute("PRAGMA journal_mode = DELETE").fetchall())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")

        told = await praetorium.check()
        other.close()

    (sentence,) = told
    assert sentence.startswith(f"{path}: another program holds the praetorium")


@scene
async def test_two_praetoria_on_one_file_see_each_others_commits(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as one, praetorium_in(tmp_path) as other:
        await one.inbox.put(Letter(id=1, payload="{}", received=START))

        assert [letter.id for letter in await other.inbox.unfinished()] == [1]


@scene
async def test_a_refusal_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    path.write_bytes(b"not a database at all" * 100)

    with pytest.raises(PraetoriumError) as caught:
        async with praetorium_in(tmp_path):
            pytest.fail("it was opened")

    assert str(caught.value).startswith(f"{path}: ")


def test_the_record_is_dated_by_the_injected_clock(tmp_path: Path) -> None:
    clock = StillClock()

    @scene
    async def post() -> None:
        async with praetorium_in(tmp_path, clock) as praetorium:
            await clock.sleep(60)
            await praetorium.inbox.put(Letter(id=1, payload="{}", received=START))
            await praetorium.inbox.finish(1)
            rows = await praetorium.database.rows("SELECT ended FROM inbox")

        assert rows[0]["ended"] == "2026-11-21T03:05:05.123456+00:00"

    post()


def test_a_process_ends_by_itself_after_a_refused_opening(tmp_path: Path) -> None:
    (tmp_path / "praetorium.db").write_bytes(b"not a database at all" * 100)
    script = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from tests.praetorium.record import praetorium_in\n"
        "async def main():\n"
        "    async with praetorium_in(Path(sys.argv[1])): pass\n"
        "asyncio.run(main())\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.count("Exception in thread") == 0
    assert "PraetoriumError" in done.stderr
