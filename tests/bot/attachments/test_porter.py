import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from telegram import Message, Update

from legio.attachments import Depot
from legio.bot.attachments.contents import content
from legio.bot.attachments.porter import WAITS, Errand, Porter
from legio.castra import Castra
from legio.config import AttachmentsConfig
from legio.local.botapi.faults import Trouble
from legio.local.botapi.files import Upload
from legio.nuntius import Attachment
from tests.attachments.pictures import picture
from tests.attachments.test_pictures import bomb
from tests.bot.attachments.hasty import HastyClock
from tests.local.botapi.rig import TOKEN, Rig, rig
from tests.scenes import scene

DAY = date(2026, 11, 21)


@dataclass
class Dock:
    """A real bot before the embedded server, and who fetches with it."""

    rig: Rig
    depot: Depot
    clock: HastyClock

    def send(self, upload: Upload, kind: str = "document") -> Errand:
        """Caesar sends a file; here is what there is to be fetched."""
        update = Update.de_json(self.rig.state.send_file(upload, kind=kind), self.rig.bot)
        message = update.message
        assert isinstance(message, Message)
        said = content(message)
        assert said is not None
        assert said.file is not None
        return Errand(said.file, str(update.update_id), DAY)

    async def fetch(self, errand: Errand, **config: object) -> Attachment:
        bounds = AttachmentsConfig(**config)  # type: ignore[arg-type]
        return await Porter(self.rig.bot, self.depot, bounds, self.clock).fetch(errand)


@contextlib.asynccontextmanager
async def dock(folder: Path) -> AsyncIterator[Dock]:
    async with rig() as made:
        yield Dock(made, Depot(Castra(folder)), HastyClock())


@scene
async def test_a_file_is_fetched_and_kept_under_its_own_name(tmp_path: Path) -> None:
    async with dock(tmp_path) as here:
        errand = here.send(Upload("../plan.pdf", b"%PDF", "application/pdf"))
        file = await here.fetch(errand)
    assert file.path == f"attachments/2026-11-21/{errand.key}-plan.pdf"
    assert (file.name, file.media_type, file.size, file.note) == ("../plan.pdf", "application/pdf", 4, "")
    assert here.depot.read(file.path) == b"%PDF"


@scene
async def test_what_is_too_large_or_of_another_type_is_not_even_fetched(tmp_path: Path) -> None:
    async with dock(tmp_path) as here:
        large = await here.fetch(here.send(Upload("a.bin", bytes(1_100_000))), max_mb=1)
        other = await here.fetch(
            here.send(Upload("a.exe", b"MZ", "application/x-dosexec")), types="image/* text/*"
        )
        calls = [call.method for call in here.rig.state.calls]
    assert large.path == other.path == ""
    assert large.note == "it was not kept: it has 1.1 MB, and at most 1 MB are taken"
    assert other.note == "it was not kept: files of the type application/x-dosexec are not taken"
    assert "getFile" not in calls


@scene
async def test_a_size_that_was_not_said_is_found_out(tmp_path: Path) -> None:
    async with dock(tmp_path) as here:
        errand = here.send(Upload("a.bin", bytes(1_100_000)))
        silent = replace(errand, remote=replace(errand.remote, size=None))
        file = await here.fetch(silent, max_mb=1)
    assert "at most 1 MB" in file.note


@scene
async def test_telegrams_own_bound_is_said(tmp_path: Path) -> None:
    async with dock(tmp_path) as here:
        errand = here.send(Upload("a.bin", bytes(20 * 1024 * 1024 + 1)))
        file = await here.fetch(replace(errand, remote=replace(errand.remote, size=None)))
    assert "file is too big" in file.note.lower()


@scene
async def test_a_picture_that_is_none_or_a_bomb_is_refused(tmp_path: Path) -> None:
    async with dock(tmp_path) as here:
        fine = await here.fetch(here.send(Upload("a.png", picture(30, 20), "image/png"), "photo"))
        broken = await here.fetch(here.send(Upload("b.png", b"no picture", "image/png")))
        huge = await here.fetch(here.send(Upload("c.png", bomb(20_000), "image/png")))
    assert fine.path
    assert broken.path == huge.path == ""
    assert "no picture that can be read" in broken.note
    assert "too many pixels" in huge.note


@scene
async def test_a_network_that_fails_is_asked_again(tmp_path: Path) -> None:
    async with dock(tmp_path) as here:
        errand = here.send(Upload("a.txt", b"ave", "text/plain"))
        here.rig.state.faults.arm("getFile", Trouble.RESET_BEFORE)
        here.rig.state.faults.arm("getFile", Trouble.BAD_GATEWAY)
        here.rig.state.faults.arm("getFile", Trouble.FLOOD, retry_after=7)
        file = await here.fetch(errand)
    assert here.depot.read(file.path) == b"ave"
    assert here.clock.rests == [WAITS[0], WAITS[1], 7.0]


@scene
async def test_it_is_given_up_after_the_last_try_and_said(tmp_path: Path) -> None:
    async with dock(tmp_path) as here:
        errand = here.send(Upload("a.txt", b"ave", "text/plain"))
        here.rig.state.faults.arm("getFile", Trouble.SERVER_ERROR, times=len(WAITS) + 1)
        file = await here.fetch(errand)
    assert file.note == "it was not kept: it could not be fetched from Telegram"
    assert here.clock.rests == list(WAITS)


@scene
async def test_a_file_that_telegram_has_forgotten_is_said_without_the_token(tmp_path: Path) -> None:
    async with dock(tmp_path) as here:
        errand = here.send(Upload("a.txt", b"ave", "text/plain"))
        file = await here.fetch(replace(errand, remote=replace(errand.remote, id="unknown")))
    assert file.path == ""
    assert "Telegram does not hand it out" in file.note
    assert TOKEN not in file.note
    assert here.clock.rests == []


@scene
async def test_a_disk_that_fails_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "attachments").write_text("in the way")
    async with dock(tmp_path) as here:
        file = await here.fetch(here.send(Upload("a.txt", b"ave", "text/plain")))
    assert "it was not kept" in file.note
