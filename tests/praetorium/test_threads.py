import sqlite3
from pathlib import Path

import pytest

from legio.ports import Process, Thread
from tests.praetorium.record import START, praetorium_in
from tests.scenes import scene

FULL = Thread(
    agent="vorenus",
    id="5f0c",
    cursor=12,
    previous=9,
    asked="0c4e",
    mark="b7d1",
    marked=7,
    spoiled=True,
    process=Process(4711, 1_795_230_245.25),
    prompt_hash="ab" * 32,
    context_tokens=155_514,
    last_active=START,
    reason="the prompt changed",
    cost_usd=0.25,
    begun=START,
    origin="this is its first use",
    carried=5,
    carried_from=3,
)


@scene
async def test_a_thread_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.threads.save(FULL)
        await praetorium.threads.save(Thread(agent="pullo"))

    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.threads.load("vorenus") == FULL
        assert await praetorium.threads.load("pullo") == Thread(agent="pullo")
        assert await praetorium.threads.load("brutus") is None


@scene
async def test_saving_replaces_the_whole_row(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.threads.save(FULL)
        await praetorium.threads.save(Thread(agent="vorenus"))

        assert await praetorium.threads.all() == (Thread(agent="vorenus"),)


@scene
async def test_all_threads_come_by_name(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for agent in ("vorenus", "brutus", "pullo"):
            await praetorium.threads.save(Thread(agent=agent))

        assert [thread.agent for thread in await praetorium.threads.all()] == ["brutus", "pullo", "vorenus"]


@scene
async def test_a_forgotten_thread_is_gone_and_may_be_forgotten_again(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.threads.save(FULL)
        await praetorium.threads.forget("vorenus")
        await praetorium.threads.forget("vorenus")

        assert await praetorium.threads.load("vorenus") is None


@pytest.mark.parametrize("half", ["pid = NULL", "started = NULL"])
@scene
async def test_half_a_process_is_refused(tmp_path: Path, half: str) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.threads.save(FULL)

        with pytest.raises(sqlite3.IntegrityError):
            await praetorium.database.change(f"UPDATE sessions SET {half}")
