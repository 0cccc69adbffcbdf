from pathlib import Path

from legio.ports import Kind
from tests.bot.desks import desk
from tests.scenes import scene


@scene
async def test_an_edictum_is_published_read_and_revoked(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, memoria):
        await commands.run("/edict Answer in Latin.\nAlways.")
        (edictum,) = memoria.list(Kind.EDICTUM).documents
        assert (edictum.title, edictum.text, edictum.author) == (
            "Answer in Latin.",
            "Answer in Latin.\nAlways.",
            "caesar",
        )
        assert edictum.name in (await commands.run("/edicta")).text
        assert "Always." in (await commands.run(f"/edicta {edictum.name}")).text
        asked = await commands.run(f"/revoke {edictum.name}")
        assert await camp.decisions.press(asked.buttons[0].data)
        assert memoria.list(Kind.EDICTUM).documents == ()


@scene
async def test_an_order_that_comes_twice_stands_once(tmp_path: Path) -> None:
    # Killed between the file and the end of the update, Legio wrote the edictum a second time at its start.
    async with desk(tmp_path) as (commands, _, memoria):
        memoria.write(Kind.EDICTUM, title="Always.", text="Always.", author="legatus")
        first, second = [await commands.run("/edict Always.\n Everywhere.") for _ in range(2)]
        assert len(memoria.list(Kind.EDICTUM).documents) == 2
        assert first.text.startswith("Edictum always-2 stands")
        assert second.text.startswith("Edictum always-2 stands, word for word")


@scene
async def test_cancel_leaves_the_edictum_in_force(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, memoria):
        await commands.run("/edict Answer in Latin.")
        asked = await commands.run(f"/revoke {memoria.list(Kind.EDICTUM).documents[0].name}")
        assert await camp.decisions.press(asked.buttons[1].data) == "It stands."
        assert len(memoria.list(Kind.EDICTUM).documents) == 1


@scene
async def test_broken_files_are_shown_where_one_looks_for_them(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        camp.castra.prompt("brutus").write_text("nothing")
        camp.castra.edicta.mkdir()
        (camp.castra.edicta / "bad.xml").write_text("<edictum>")
        listed = (await commands.run("/list")).text
        status = (await commands.run("/status")).text
        edicta = (await commands.run("/edicta")).text
    assert "⚠️" in listed
    assert "brutus" in listed
    assert "⚠️" in status
    assert "bad.xml" in edicta
