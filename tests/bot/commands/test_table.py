from pathlib import Path

import pytest

from legio import __version__
from tests.bot.desks import desk
from tests.scenes import scene


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
