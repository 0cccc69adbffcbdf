"""What stands behind a command: names as Caesar writes them, and the button that leaves all as it is."""

from collections.abc import Sequence

from legio.bot.desk import Misused
from legio.decisions import Choice
from legio.errors import Refused
from legio.nuntius import LEGATUS
from legio.roster import Roster


def folded(word: str) -> str:
    """A name without its @, in lower case."""
    return word.strip().removeprefix("@").lower()


def centurio(roster: Roster, words: str) -> str:
    """The centurio who is named; raises `Misused` without a name and `Refused` for a name nobody bears."""
    if not words:
        raise Misused("a centurio's name is needed.")
    return roster.profile(_known(folded(words), roster.names())).name


def agent(roster: Roster, words: str) -> str:
    """The agent who is named, the Legatus among them; raises as `centurio` does."""
    if not words:
        raise Misused("an agent's name is needed.")
    return _known(folded(words), (LEGATUS, *roster.names()))


def leave(sentence: str) -> Choice:
    """The choice to do nothing, and what the card says then."""

    async def left() -> str:
        return sentence

    return Choice("Cancel", left)


def _known(name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise Refused(
            f"there is nobody called '{name}'.", remedy=f"There is: {', '.join(names) or 'nobody'}."
        )
    return name
