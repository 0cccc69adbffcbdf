from pathlib import Path

import pytest

from legio.bot.commands.words import agent, centurio, folded, leave
from legio.bot.desk import Misused
from legio.castra import Castra
from legio.errors import Refused
from legio.roster import Roster
from tests.scenes import scene


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    castra = Castra(tmp_path / "castra")
    for name in ("legatus", "vorenus"):
        castra.prompt(name).parent.mkdir(parents=True)
        castra.prompt(name).write_text(f"---\ndescription: {name}'s work\n---\nYou are {name}.\n")
    return Roster(castra)


@pytest.mark.parametrize("written", ["vorenus", "@vorenus", " @Vorenus "])
def test_a_name_is_known_however_caesar_writes_it(roster: Roster, written: str) -> None:
    assert (folded(written), centurio(roster, written), agent(roster, written)) == ("vorenus",) * 3


def test_the_legatus_is_an_agent_and_no_centurio(roster: Roster) -> None:
    assert agent(roster, "@legatus") == "legatus"
    with pytest.raises(Refused, match="there is nobody called 'legatus'"):
        centurio(roster, "@legatus")


def test_a_name_that_is_missing_shows_the_usage(roster: Roster) -> None:
    with pytest.raises(Misused, match="a centurio's name is needed"):
        centurio(roster, "")
    with pytest.raises(Misused, match="an agent's name is needed"):
        agent(roster, "")


@scene
async def test_cancel_does_nothing_and_says_what_was_told_it() -> None:
    choice = leave("It stands.")
    assert (choice.label, await choice.act()) == ("Cancel", "It stands.")
