import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from telegram import Update

from legio.attachments import Depot
from legio.bot.attachments.arrivals import ALBUM_SECONDS, TRANSCRIBED, Arrivals, Take
from legio.bot.attachments.porter import Porter
from legio.bot.attachments.transcriber import Transcriber
from legio.config import AttachmentsConfig
from legio.local.botapi.faults import Trouble
from legio.local.botapi.files import Upload
from legio.local.botapi.message import Reply
from legio.nuntius import CAESAR, Nuntius
from legio.ports import Letter
from tests.attachments.pictures import picture
from tests.camp import RECEIVED, Legion, legion
from tests.clocks import FakeClock
from tests.fakes import Stage
from tests.local.botapi.rig import Rig, rig
from tests.scenes import scene, until

PHOTO = Upload("a.png", picture(64, 48), "image/png")
VOICE = Upload("v.ogg", b"OggS", "audio/ogg")
NOTES = Upload("notes.txt", b"the ford is deep", "text/plain")


@dataclass
class Gate:
    """A legion behind a real bot, for whatever Caesar sends."""

    camp: Legion
    rig: Rig
    clock: FakeClock
    arrivals: Arrivals
    passed: list[int] = field(default_factory=list)
    take: Take | None = None

    async def receive(self, *bodies: dict[str, object]) -> None:
        """These updates come in, each committed first."""
        for body in bodies:
            update = Update.de_json(body, self.rig.bot)
            await self.camp.praetorium.inbox.put(Letter(update.update_id, update.to_json(), RECEIVED))
            assert self.take is not None
            await self.take(update)

    async def heard(self, count: int = 1) -> list[Nuntius]:
        """What Caesar has said, once it is so much."""
        async with asyncio.timeout(20):
            while True:
                said = await self.camp.praetorium.nuntii.latest("caesar", 50, sender=CAESAR)
                if len(said) >= count:
                    return list(said)
                await asyncio.sleep(0.01)

    async def open_letters(self) -> list[int]:
        return [it.id for it in await self.camp.praetorium.inbox.unfinished()]

    async def finished(self) -> None:
        async with asyncio.timeout(20):
            while await self.open_letters():  # noqa: ASYNC110  (the inbox has no event)
                await asyncio.sleep(0.01)

    async def album_is_whole(self) -> None:
        await until(lambda: self.clock.sleepers, what="an album that is waited for")
        await self.clock.run(ALBUM_SECONDS)


@contextlib.asynccontextmanager
async def gate(
    folder: Path, *, transcribe: str | None = None, running: bool = True, **bounds: object
) -> AsyncIterator[Gate]:
    clock = FakeClock()
    async with rig() as made, legion(folder / "castra", Stage()) as camp:
        depot = Depot(camp.castra)
        config = AttachmentsConfig(**bounds)  # type: ignore[arg-type]
        porter = Porter(made.bot, depot, config, clock)
        inbox, transcriber = camp.praetorium.inbox, Transcriber(transcribe, depot)
        arrivals = Arrivals(inbox, camp.legatus, porter, transcriber, clock)
        here = Gate(camp, made, clock, arrivals)

        async def others(update: Update) -> None:
            here.passed.append(update.update_id)

        here.take = arrivals.before(others)
        task = asyncio.create_task(arrivals.run() if running else asyncio.sleep(0), name="arrivals")
        try:
            yield here
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@scene
async def test_a_photo_becomes_a_nuntius_with_its_file_and_caption(tmp_path: Path) -> None:
    async with gate(tmp_path) as here:
        await here.receive(here.rig.state.send_file(PHOTO, kind="photo", caption="@pullo what is this?"))
        (said,) = await here.heard()
        await here.camp.settled(1)
        assert await here.open_letters() == []
    (file,) = said.attachments
    assert (said.text, said.audience) == ("@pullo what is this?", ("pullo",))
    assert (file.kind, file.size, file.note) == ("photo", len(PHOTO.data), "")
    assert Depot(here.camp.castra).read(file.path) == PHOTO.data


@scene
async def test_an_album_is_one_nuntius_and_ends_all_its_updates_at_once(tmp_path: Path) -> None:
    async with gate(tmp_path) as here:
        album = here.rig.state.send_album([PHOTO, PHOTO, PHOTO], caption="compare")
        await here.receive(*album[:2])
        await here.clock.run(ALBUM_SECONDS / 2)
        await here.receive(album[2])
        assert len(await here.open_letters()) == 3
        await here.album_is_whole()
        await here.clock.run(ALBUM_SECONDS)
        (said,) = await here.heard()
        await here.camp.settled(1)
        assert await here.open_letters() == []
        assert len(here.camp.ended) == 1
    assert said.text == "compare"
    assert len({it.path for it in said.attachments}) == 3


@scene
async def test_ten_photos_are_whole_at_once(tmp_path: Path) -> None:
    async with gate(tmp_path, running=False) as here:
        await here.receive(*here.rig.state.send_album([PHOTO] * 10))
        task = asyncio.create_task(here.arrivals.run())
        (said,) = await here.heard()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await here.camp.settled(1)
    assert len(said.attachments) == 10


@scene
async def test_a_slow_download_holds_up_nothing_else(tmp_path: Path) -> None:
    async with gate(tmp_path) as here:
        here.rig.state.faults.arm("getFile", Trouble.HANG)
        await here.receive(here.rig.state.send_file(NOTES), here.rig.state.say("and this?"))
        assert len(here.passed) == 1
        assert len(await here.open_letters()) == 2


@scene
async def test_what_is_under_way_when_the_process_ends_stays_in_the_inbox_and_is_fetched_again(
    tmp_path: Path,
) -> None:
    async with gate(tmp_path) as here:
        here.rig.state.faults.arm("getFile", Trouble.HANG)
        await here.receive(here.rig.state.send_file(NOTES, caption="read"))
        await until(lambda: any(it.method == "getFile" for it in here.rig.state.calls), what="a download")
        (left,) = await here.camp.praetorium.inbox.unfinished()
    async with gate(tmp_path) as here:
        (letter,) = await here.camp.praetorium.inbox.unfinished()
        assert letter == left


@scene
async def test_a_voice_is_put_into_words(tmp_path: Path) -> None:
    script = tmp_path / "hear.py"
    script.write_text("import sys; print('@brutus, march' if open(sys.argv[1]).read() == 'OggS' else 'no')")
    async with gate(tmp_path, transcribe=f"{sys.executable} {script} {{file}}") as here:
        await here.receive(here.rig.state.send_file(VOICE, kind="voice"))
        (said,) = await here.heard()
        await here.camp.settled(1)
    assert (said.text, said.audience) == ("@brutus, march", ("brutus",))
    assert [it.note for it in said.attachments] == [TRANSCRIBED]


@scene
async def test_a_voice_that_was_not_heard_is_said_to_both(tmp_path: Path) -> None:
    async with gate(tmp_path) as here:
        await here.receive(here.rig.state.send_file(VOICE, kind="voice"))
        (said,) = await here.heard()
        await here.camp.settled(1)
        notice = str((await here.camp.sent())[0]["text"])
        (told,) = here.camp.stage.texts("legatus")
    assert said.attachments[0].note.startswith("it was not heard: there is no command for it.")
    assert "it was not heard" in notice
    assert "[telegram] transcribe" in notice
    assert "What else there was is passed on." in notice
    assert "it was not heard" in told


@scene
async def test_of_an_album_the_rest_is_asked_when_one_is_too_large(tmp_path: Path) -> None:
    async with gate(tmp_path, max_mb=1) as here:
        large = Upload("large.bin", bytes(1_200_000))
        await here.receive(*here.rig.state.send_album([NOTES, large], kind="document"))
        await here.album_is_whole()
        (said,) = await here.heard()
        await here.camp.settled(1)
        notice = str((await here.camp.sent())[0]["text"])
    assert [bool(it.path) for it in said.attachments] == [True, False]
    assert notice.startswith("⚠️ large.bin: it was not kept: it has 1.2 MB, and at most 1 MB are taken")


@scene
async def test_where_nothing_is_left_nobody_is_asked_and_caesar_is_told(tmp_path: Path) -> None:
    async with gate(tmp_path, types="image/*") as here:
        await here.receive(*here.rig.state.send_album([NOTES, NOTES], kind="document"))
        await here.album_is_whole()
        notice = str((await here.camp.card(0))["text"])
        await here.finished()
        assert await here.camp.praetorium.nuntii.latest("caesar", 5) == ()
    assert notice.endswith("Nothing was passed on.")
    assert notice.count("files of the type text/plain are not taken") == 2


@scene
async def test_a_reply_with_a_file_says_what_it_is_about(tmp_path: Path) -> None:
    async with gate(tmp_path) as here:
        told = here.rig.state.say("The ford is deep.")["message"]["message_id"]
        await here.receive(here.rig.state.send_file(PHOTO, kind="photo", reply_to=Reply(told, "deep")))
        (said,) = await here.heard()
        await here.camp.settled(1)
    assert said.quote is not None
    assert (said.quote.sender, said.quote.text) == ("caesar", "deep")


@scene
async def test_what_breaks_leaves_its_row_open_and_hurts_nobody_else(tmp_path: Path) -> None:
    async with gate(tmp_path) as here:
        broken = Update.de_json(here.rig.state.send_file(NOTES), here.rig.bot)
        assert here.take is not None
        await here.take(broken)  # it was never put into the inbox: to hear of it raises
        await here.receive(here.rig.state.send_file(NOTES, caption="again"))
        (said,) = await here.heard()
        await here.camp.settled(1)
    assert said.text == "again"


@scene
async def test_files_keep_their_order_among_each_other(tmp_path: Path) -> None:
    async with gate(tmp_path) as here:
        here.rig.state.faults.arm("getFile", Trouble.SERVER_ERROR)
        await here.receive(
            here.rig.state.send_file(NOTES, caption="first"),
            here.rig.state.send_file(NOTES, caption="second"),
        )
        await until(lambda: here.clock.sleepers, what="a download that is tried again")
        await here.clock.run(5)
        said = await here.heard(2)
        await here.camp.settled(2)
    assert [it.text for it in said] == ["first", "second"]


@scene
async def test_what_somebody_else_says_aloud_addresses_nobody_and_his_name_stands_once(
    tmp_path: Path,
) -> None:
    script = tmp_path / "hear.py"
    script.write_text("print('@brutus, march')")
    async with gate(tmp_path, transcribe=f"{sys.executable} {script} {{file}}") as here:
        album = here.rig.state.send_album([VOICE, VOICE], kind="audio")
        cato = {"type": "hidden_user", "date": 1, "sender_user_name": "Cato"}
        for update in album:
            update["message"]["forward_origin"] = cato
        await here.receive(*album)
        await here.album_is_whole()
        (said,) = await here.heard()
        await here.camp.settled(1)
    assert said.audience == ("legatus",)
    assert said.text == "Forwarded from Cato.\n\n\\@brutus, march"
