"""The addresses of the room: what answers where, and to whom nothing does."""

from pathlib import Path

import pytest

from tests.console.rooms.memoria.desk import complaint, get, opened
from tests.scenes import scene


@scene
async def test_the_room_is_listed_with_its_script_and_its_style(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        assert (made.room.name, made.room.title) == ("memoria", "Memoria")
        for path in (made.room.script, made.room.style):
            assert (await client.get(client.base_url.join(path))).status_code == 200


@scene
async def test_each_shelf_and_the_prompts_can_be_read(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, _):
        for shelf in ("edicta", "acta", "commentarii"):
            assert (await get(client, shelf))["documents"] == []
        assert len((await get(client, "prompts"))["prompts"]) == 4  # type: ignore[arg-type]


@pytest.mark.parametrize("shelf", ["edictum", "Edicta", "..", "prompt", "homes"])
@scene
async def test_another_word_is_no_shelf(tmp_path: Path, shelf: str) -> None:
    async with opened(tmp_path) as (client, _):
        response = await client.get(f"{shelf}/x")
        if response.status_code != 404:
            assert "there is no such shelf. There are: edicta, acta, commentarii." in complaint(response)


@scene
async def test_what_writes_is_not_done_by_reading_and_nothing_but_json_is_taken(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        assert (await client.get("edicta/x/revoke")).status_code == 405
        assert (await client.get("prompts/check")).status_code == 400  # there is no agent of that name
        assert "this is not JSON" in complaint(await client.post("edicta", content=b"title=x"))
        assert "'title' has to be a text" in complaint(await client.post("edicta", json={"title": 7}))
        assert list(made.castra.root.glob("edicta/*")) == []
