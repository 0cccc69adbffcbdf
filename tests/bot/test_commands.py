import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from legio import __version__
from legio.bot.commands import Commands
from legio.bot.desk import Desk
from legio.clock import SystemClock
from legio.memoria.store import FileMemoria
from legio.ports import Kind
from tests.camp import Legion, legion
from tests.fakes import Stage
from tests.scenes import scene, until


@asynccontextmanager
async def desk(
    tmp_path: Path, stage: Stage | None = None
) -> AsyncIterator[tuple[Commands, Legion, FileMemoria]]:
    async with legion(tmp_path / "castra", stage or Stage()) as camp:
        memoria = FileMemoria(camp.castra, SystemClock())
        yield (
            Commands(
                Desk(
                    camp.legatus,
                    camp.sessions,
                    camp.roster,
                    camp.recruiting,
                    camp.decisions,
                    memoria,
                    camp.praetorium.nuntii,
                    camp.praetorium.turns,
                    camp.praetorium.ledger,
                    camp.messenger,
                )
            ),
            camp,
            memoria,
        )


@scene
async def test_start_names_whom_one_can_address(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        reply = await commands.run("/start")
    assert "@brutus, @pullo, @vorenus" in reply.text


@scene
async def test_help_shows_every_command(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        reply = await commands.run("/help@legio_bot")
        assert all(f"{command.usage} — " in reply.text for command in commands.table)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/version", f"Legio {__version__}"),
        ("/nonsense", "There is no command /nonsense. /help shows them all."),
        ("/list", "@vorenus — vorenus's work"),
        ("/acta", "There is no shared knowledge yet"),
        ("/edicta", "There are no standing orders."),
        ("/commentarii", "Usage: /commentarii <agent> [name]"),
        ("/commentarii vorenus", "vorenus has written nothing yet."),
        ("/commentarii titus", "there is nobody called 'titus'."),
        ("/history", "Nothing has been said yet."),
        ("/history @titus", "there is nobody called 'titus'."),
        ("/create", "Usage: /create <name> <specialization>"),
        ("/create titus", "Usage: /create <name> <specialization>"),
        ("/create legatus rules", "the name 'legatus' is reserved."),
        ("/create Big!Name rules", "cannot be a centurio's name"),
        ("/remove", "Usage: /remove <name>"),
        ("/remove titus", "there is nobody called 'titus'."),
        ("/edict", "Usage: /edict <text>"),
        ("/revoke", "Usage: /revoke <name>"),
        ("/reset", "Usage: /reset <name>"),
        ("/reset titus", "there is nobody called 'titus'."),
        ("/why", "Usage: /why"),
        ("/undelivered", "Everything was delivered, or is on its way."),
        ("/stop", "Nothing was running."),
        ("/stop titus", "there is nobody called 'titus'."),
        ("/status", "Turns: 0 received = 0 answered + 0 failed + 0 stopped + 0 expired + 0 pending"),
    ],
)
@scene
async def test_every_command_answers_and_says_what_is_wrong(tmp_path: Path, line: str, expected: str) -> None:
    async with desk(tmp_path) as (commands, _, _):
        reply = await commands.run(line)
    assert expected in reply.text


@scene
async def test_a_created_centurio_is_there_at_once_and_a_removed_one_keeps_his_files(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        created = await commands.run("/create titus knows about bridges")
        assert "Write @titus to address him." in created.text
        await camp.say("@titus how wide")
        await camp.settled(1)
        asked = await commands.run("/remove @Titus")
        assert camp.roster.names() == ("brutus", "pullo", "titus", "vorenus"), "not before Caesar's thumb"
        outcome = await camp.decisions.press(asked.buttons[0].data)
        assert "titus has been removed" in outcome
        assert camp.roster.names() == ("brutus", "pullo", "vorenus")
        assert list((camp.castra.centuriones / ".removed").glob("titus-*/prompt.md"))


@scene
async def test_a_centurio_stays_when_caesar_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        asked = await commands.run("/remove brutus")
        assert await camp.decisions.press(asked.buttons[1].data) == "brutus stays."
        assert "brutus" in camp.roster.names()


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
async def test_history_shows_the_last_messages_or_one_senders(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@vorenus one")
        await camp.settled(1)
        await camp.say("@pullo two")
        await camp.settled(2)
        everything = (await commands.run("/history 50")).text
        last = (await commands.run("/history 1")).text
        vorenus = (await commands.run("/history 50 @vorenus")).text
        caesar = (await commands.run("/history @caesar")).text
    assert everything.count("→") == 4
    assert "pullo → caesar\npullo heard." in last
    assert "vorenus heard." not in last
    assert "vorenus heard." in vorenus
    assert "caesar →" not in vorenus
    assert caesar.count("caesar → ") == 2


@scene
async def test_reset_asks_first_and_then_begins_afresh(tmp_path: Path) -> None:
    stage = Stage()
    async with desk(tmp_path, stage) as (commands, camp, _):
        await camp.say("@vorenus one")
        await camp.settled(1)
        asked = await commands.run("/reset vorenus")
        assert len(stage.closed) == 0
        assert "is being reset" in await camp.decisions.press(asked.buttons[0].data)
        told = await camp.card(1)
        await camp.say("@vorenus two")
        await camp.settled(2)
    assert stage.briefs[1].thread != stage.briefs[0].thread
    assert "vorenus begins afresh, and answers" in str(told["text"])


@scene
async def test_stop_names_whom_it_stops_and_status_shows_him_at_work(tmp_path: Path) -> None:
    async def never(_: str) -> str:
        await asyncio.Event().wait()
        return ""

    stage = Stage(say=never)
    async with desk(tmp_path, stage) as (commands, camp, _):
        await camp.say("@vorenus one")
        await until(lambda: stage.asked)
        status = await commands.run("/status")
        stopped = await commands.run("/stop vorenus")
        await camp.settled(1)
    assert "vorenus: at work for 0 s" in status.text
    assert "+ 1 pending" in status.text
    assert stopped.text == "Stopping vorenus."


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


@scene
async def test_why_is_asked_in_reply_to_an_answer(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@vorenus one")
        await camp.settled(1)
        (dispatch,) = await camp.praetorium.outbox.due()
        await camp.praetorium.outbox.sent(dispatch, 900)
        reply = await commands.run("/why", reply_to=900)
    assert "Agent: vorenus" in reply.text


@scene
async def test_status_points_to_what_never_arrived(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.legatus.tell("one")
        (dispatch,) = await camp.praetorium.outbox.due()
        before = await commands.run("/status")
        await camp.praetorium.outbox.failed(dispatch, "blocked", final=True, doubtful=False)
        after = await commands.run("/status")
    assert "/undelivered" not in before.text
    assert "⚠️ Some messages never reached you: /undelivered." in after.text
