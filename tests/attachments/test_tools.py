import asyncio
from pathlib import Path
from typing import cast

import pytest

from legio.attachments.depot import Depot
from legio.attachments.tools import MOST_IN_A_TURN, Sending, file_tools
from legio.endings import Endings
from legio.errors import Refused
from legio.nuntius import CAESAR, Attachment
from legio.record import Record
from tests.camp import Legion, legion
from tests.fakes import Stage
from tests.scenes import scene, until
from tests.test_toolset import BUILT_IN


class Busy:
    """A stage on which whoever is asked is at work until he is let go."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.stage = Stage(say=self.say)

    async def say(self, _: str) -> str:
        await self.free.wait()
        return "done"


def sending(camp: Legion, *, replies: str = "addressed") -> Sending:
    held = camp.praetorium
    record = Record(held.turns, held.corrections, held.nuntii, held.outbox, camp.messenger, camp.clock)
    endings = Endings(camp.messenger, camp.clock, camp.roster, replies=replies)
    return Sending(record, Depot(camp.castra), endings, lambda: camp.sessions, replies)


async def at_work(camp: Legion, text: str, name: str = "pullo") -> None:
    await camp.say(text)
    await until(lambda: camp.sessions.of(name).current is not None, what="a turn that runs")
    workspace = camp.castra.folder(camp.castra.workspace(name))
    (workspace / "report.md").write_text("# All quiet")
    (workspace / "map.png").write_bytes(b"\x89PNG")


@scene
async def test_a_file_goes_out_as_a_nuntius_of_the_agents(tmp_path: Path) -> None:
    busy = Busy()
    async with legion(tmp_path / "castra", busy.stage) as camp:
        await at_work(camp, "@pullo @brutus report")
        said = await sending(camp).send("pullo", "report.md", "As asked.")
        (parcel,) = [it for it in await camp.praetorium.outbox.due() if '"file"' in it.parcel.payload]
        await camp.praetorium.outbox.sent(parcel, 900)
        nuntius = await camp.praetorium.nuntii.by_message(900)
        busy.free.set()
        await camp.settled(2)
    assert nuntius is not None
    (file,) = nuntius.attachments
    assert said == f"report.md is on its way to Caesar, as nuntius {nuntius.seq}."
    assert (nuntius.sender, nuntius.text, nuntius.audience) == ("pullo", "As asked.", (CAESAR, "brutus"))
    assert file == Attachment(file.path, "report.md", "text/markdown", 11, "document")
    assert Depot(camp.castra).read(file.path) == b"# All quiet"


@scene
async def test_what_is_sent_is_what_there_was_whatever_becomes_of_the_file(tmp_path: Path) -> None:
    busy = Busy()
    async with legion(tmp_path / "castra", busy.stage) as camp:
        await at_work(camp, "@pullo report")
        (tool,) = file_tools(sending(camp, replies="all"), "pullo")
        await tool.run({"path": "map.png"})
        (camp.castra.workspace("pullo") / "map.png").unlink()
        (last,) = await camp.praetorium.nuntii.latest(CAESAR, 1)
        busy.free.set()
        await camp.settled(1)
    (file,) = last.attachments
    assert (file.kind, file.media_type, last.audience) == ("photo", "image/png", ("all",))
    assert Depot(camp.castra).read(file.path) == b"\x89PNG"


@scene
async def test_a_file_that_may_not_go_writes_nothing(tmp_path: Path) -> None:
    busy = Busy()
    async with legion(tmp_path / "castra", busy.stage) as camp:
        await at_work(camp, "@pullo report")
        out = sending(camp)
        for path in ("../brutus/report.md", "/etc/passwd"):
            with pytest.raises(Refused, match="not in your workspace"):
                await out.send("pullo", path, "")
        with pytest.raises(Refused, match="no turn of yours"):
            await out.send("brutus", "report.md", "")
        busy.free.set()
        await camp.settled(1)
        assert all(it.attachments == () for it in await camp.praetorium.nuntii.latest(CAESAR, 10))
    assert not camp.castra.attachments.exists()


@scene
async def test_a_turn_sends_so_many_files_and_no_more(tmp_path: Path) -> None:
    busy = Busy()
    async with legion(tmp_path / "castra", busy.stage) as camp:
        await at_work(camp, "@pullo report")
        out = sending(camp)
        for _ in range(MOST_IN_A_TURN):
            await out.send("pullo", "report.md", "")
        with pytest.raises(Refused, match="that is all"):
            await out.send("pullo", "report.md", "")
        busy.free.set()
        await camp.settled(1)


def test_no_tool_of_the_cli_is_shadowed_and_its_needs_are_said() -> None:
    (tool,) = file_tools(cast("Sending", None), "pullo")
    assert tool.name.replace("_", "") not in {name.replace("_", "").lower() for name in BUILT_IN}
    assert tool.schema["required"] == ["path"]
