"""The contract of the port `Settings`, asked of the real one and of the fake."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from legio.ports import Settings
from tests.fakes import MemorySettings
from tests.praetorium.record import praetorium_in
from tests.scenes import scene


@asynccontextmanager
async def settings_in(folder: Path, kind: str) -> AsyncIterator[Settings]:
    if kind == "fake":
        yield MemorySettings()
    else:
        async with praetorium_in(folder) as praetorium:
            yield praetorium.settings


@pytest.mark.parametrize("kind", ["real", "fake"])
@scene
async def test_what_was_put_is_got_until_it_is_dropped(tmp_path: Path, kind: str) -> None:
    async with settings_in(tmp_path, kind) as settings:
        before = await settings.get("quiet")
        await settings.put("quiet", "22:00-07:00")
        await settings.put("model", "large")
        await settings.put("quiet", "23:00-07:00")
        assert (before, await settings.get("quiet"), await settings.get("model")) == (
            None,
            "23:00-07:00",
            "large",
        )

        await settings.drop("quiet")
        await settings.drop("quiet")
        assert (await settings.get("quiet"), await settings.get("model")) == (None, "large")


@scene
async def test_settings_survive_closing_and_half_a_sign(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.settings.put("model", "large \ud83d")

    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.settings.get("model") == "large �"
