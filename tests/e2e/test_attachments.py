"""What Caesar sends beside text, and what agents send him, from his chat to the model and back."""

import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from legio.config import AttachmentsConfig
from legio.local.botapi.faults import Trouble
from legio.local.botapi.files import Upload
from legio.local.botapi.message import Message, Reply
from legio.local.botapi.state import BotApiState
from legio.local.model.request import Image, ModelRequest
from tests.attachments.pictures import picture
from tests.e2e.world import World, body, speaker, world
from tests.processes import station
from tests.scenes import scene, until

pytestmark = pytest.mark.cli

PHOTO = Upload("photo.png", picture(640, 480), "image/png")
HUGE = Upload("huge.png", picture(4000, 3000), "image/png")
NOTES = Upload("notes.txt", b"the ford is <deep> & cold", "text/plain")
VOICE = Upload("voice.ogg", b"OggS", "audio/ogg")


async def sent(made: World, *updates: object, answers: int = 1) -> list[Message]:
    """The bot's answers to what was just sent."""
    known = {message.id for message in made.telegram.messages}
    return await made.answers(known, answers)


def images(request: ModelRequest) -> list[Image]:
    return [block for message in request.messages for block in message.blocks if isinstance(block, Image)]


def under_way(telegram: BotApiState) -> bool:
    return any(call.method == "getFile" for call in telegram.calls)


def seen_by(telegram: BotApiState) -> list[Message]:
    """The answers of somebody who saw the large picture, as it was shown to him."""
    return [message for message in telegram.answers if "1568x1176" in message.text.plain]


@scene(deadline=180)
async def test_pictures_texts_and_places_reach_the_model(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        (photo,) = await sent(
            made, made.telegram.send_file(PHOTO, kind="photo", caption="@pullo what do you see")
        )
        (album,) = await sent(
            made, made.telegram.send_album([PHOTO, HUGE], kind="photo", caption="@pullo what do you see")
        )
        seen = images(made.requests("pullo")[-1])
        caption = "@pullo /model @/etc/hostname"
        (text,) = await sent(made, made.telegram.send_file(NOTES, caption="@pullo look"))
        (inert,) = await sent(made, made.telegram.send_file(PHOTO, kind="photo", caption=caption))
        (place,) = await sent(made, made.telegram.send_location(41.5, 12.25))
        (sticker,) = await sent(made, made.telegram.send_sticker("🦅"))
        (contact,) = await sent(made, made.telegram.send_contact("Titus", "+39 1"))
        reply = Reply(photo.id, "an image")
        (quoted,) = await sent(made, made.telegram.say("what do you see", reply_to=reply))
    assert (speaker(photo), speaker(album), speaker(text)) == ("pullo", "pullo", "pullo")
    assert "I see an image of 640x480." in body(photo)
    assert [(it.width, it.height) for it in seen] == [(640, 480), (640, 480), (1568, 1176)]
    assert body(album).count("I see an image of") == 2
    assert "You said: “/model @/etc/hostname”" in body(inert)
    assert "I see an image of 640x480." in body(inert)
    assert "I was given notes.txt, which says: “the ford is <deep> & cold”" in body(text)
    assert "📍 41.500000, 12.250000" in body(place)
    assert "You said: “🦅”" in body(sticker)
    assert "👤 Titus, +39 1" in body(contact)
    assert speaker(quoted) == "pullo"
    assert "You mean what pullo said: “an image”" in body(quoted)
    assert not made.telegram.refused


@scene(deadline=180)
async def test_what_is_said_aloud_is_heard_by_the_command_and_what_is_refused_is_told(tmp_path: Path) -> None:
    ear = tmp_path / "ear.py"
    ear.write_text("import sys; print('@brutus echo heard', len(open(sys.argv[1], 'rb').read()))")
    async with world(tmp_path, attachments=AttachmentsConfig(max_mb=1, types="image/* audio/*")) as made:
        async with made.legio():
            told, unheard = await sent(made, made.telegram.send_file(VOICE, kind="voice"), answers=2)
            (large,) = await sent(
                made, made.telegram.send_file(Upload("a.png", bytes(1_500_000), "image/png"))
            )
            (other,) = await sent(made, made.telegram.send_file(NOTES))
        command = f"{sys.executable} {ear} {{file}}"
        made.config = replace(made.config, telegram=replace(made.config.telegram, transcribe=command))
        async with made.legio():
            (heard,) = await sent(made, made.telegram.send_file(VOICE, kind="voice"))
    assert "it was not heard: there is no command for it." in told.text.plain
    assert speaker(unheard) == "legatus"
    assert "I was given voice-" in body(unheard)
    assert "at most 1 MB are taken" in large.text.plain
    assert "files of the type text/plain are not taken" in other.text.plain
    assert (speaker(heard), body(heard)) == ("brutus", "heard 4")


@scene(deadline=180)
async def test_an_agent_sends_files_of_his_workspace_and_of_nowhere_else(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        workspace = made.castra.folder(made.castra.workspace("pullo"))
        (workspace / "map.png").write_bytes(PHOTO.data)
        (workspace / "long.png").write_bytes(picture(2100, 50))
        (workspace / "out.md").symlink_to(made.castra.prompt("brutus"))
        prompt = made.castra.prompt("pullo")
        prompt.write_text(prompt.read_text().replace("description:", "tools: [Read]\ndescription:", 1))
        async with made.legio():
            drawn = await sent(made, made.telegram.say("@pullo send me the picture map.png"), answers=2)
            wide = await sent(made, made.telegram.say("@pullo send me the picture long.png"), answers=2)
            refused = [
                await made.ask(f"@pullo send me the file {path}")
                for path in ("../../legatus/prompt.md", "/etc/passwd", "out.md")
            ]
            (photo,) = [it for it in drawn if it.media is not None]
            (answer,) = await made.ask("echo mine", reply_to=photo.id)
            await sent(made, made.telegram.send_file(NOTES, caption="@pullo read"))
            (lent,) = (workspace / "received").iterdir()
            told = made.requests("pullo")[-1].messages
    (document,) = [it for it in wide if it.media is not None]
    assert photo.media is not None
    assert document.media is not None
    assert (photo.media.kind, document.media.kind) == ("photo", "document")
    assert photo.text.plain.startswith("⚔️ pullo — ")
    kept = made.telegram.files.get(photo.media.file_id)
    assert kept is not None
    assert kept.upload.data == PHOTO.data
    assert all("The tool send_file failed:" in body(said) for (said,) in refused)
    assert (speaker(answer), body(answer)) == ("pullo", "mine")
    assert lent.read_bytes() == NOTES.data
    assert any(f'file="received/{lent.name}"' in str(message) for message in told)


@scene(deadline=180)
async def test_an_album_under_way_when_legio_is_killed_is_asked_once_by_the_next(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        made.telegram.faults.arm("getFile", Trouble.HANG, times=2)
        async with made.run() as process:
            made.telegram.send_album([PHOTO, HUGE], caption="what do you see")
            await until(lambda: under_way(made.telegram), deadline=30, what="a download")
            process.signal(signal.SIGKILL)
            await process.ends()
        assert len(made.telegram.answers) == 0
        made.telegram.faults.disarm()
        async with made.run():
            await until(lambda: seen_by(made.telegram), deadline=60, what="an answer")
            await made.ask("echo after")
    assert len(seen_by(made.telegram)) == 1
    assert "I see an image of 640x480." in seen_by(made.telegram)[0].text.plain
