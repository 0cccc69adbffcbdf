from datetime import timedelta
from pathlib import Path

from legio.nuntius import CAESAR, LEGATUS, Turn, TurnState
from legio.ports import Called, Ending, RollCalls, Standing, Thread
from legio.praetorium import Praetorium
from tests.bot.wire import MemoryRollCalls
from tests.praetorium.record import StillClock, answered, praetorium_in, said
from tests.scenes import scene


async def asked(praetorium: Praetorium) -> tuple[Turn, ...]:
    """Two agents whom Caesar asked, and one whom the Legatus asked for his sake."""
    question = said("compare", CAESAR, ("vorenus", "legatus"))
    turns = await praetorium.turns.admit(question, ["vorenus", "legatus"])
    dispatch = said("look", LEGATUS, ("pullo",), reply_to=turns[1].nuntius)
    return turns + await praetorium.turns.admit(dispatch, ["pullo"], root=turns[0].root)


@scene
async def test_what_stands_is_known_with_its_turns_as_they_are(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        vorenus, legatus, pullo = await asked(praetorium)
        await praetorium.roll_calls.stands(501, vorenus.root)
        await praetorium.turns.end(vorenus, Ending(TurnState.FAILED, None, (), seconds=2.5))
        await praetorium.turns.begin(legatus, Thread("legatus"))

    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.roll_calls.standing() == (
            Standing(
                501,
                vorenus.root,
                (
                    Called(vorenus.id, "vorenus", TurnState.FAILED, asked=True, seconds=2.5),
                    Called(legatus.id, "legatus", TurnState.RUNNING, asked=True),
                    Called(pullo.id, "pullo", TurnState.PENDING, asked=False),
                ),
            ),
        )


@scene
async def test_the_fake_and_the_real_one_keep_the_same_promises(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        root = (await asked(praetorium))[0].root
        for port in (praetorium.roll_calls, MemoryRollCalls()):
            await kept(port, root)


async def kept(port: RollCalls, root: int) -> None:
    for message in (502, 501, 502):
        await port.stands(message, root)
    assert [(it.message, it.root) for it in await port.standing()] == [(501, root), (502, root)]
    for message in (501, 501, 7):
        await port.folded(message)
    assert [it.message for it in await port.standing()] == [502]


@scene
async def test_a_turn_that_is_answered_says_how_long_it_took(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        vorenus, *_ = await asked(praetorium)
        await praetorium.roll_calls.stands(501, vorenus.root)
        clock.moment += timedelta(seconds=4)
        ending = answered("here", "vorenus", vorenus.nuntius)
        await praetorium.turns.end(vorenus, ending)
        (standing,) = await praetorium.roll_calls.standing()
    assert (standing.turns[0].state, standing.turns[0].seconds) == (TurnState.ANSWERED, ending.seconds)
