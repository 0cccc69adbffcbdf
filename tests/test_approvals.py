import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from legio.approvals import APPROVAL_SECONDS, COVERED, STOPPED, UNANSWERED, Approvals
from legio.clock import SystemClock
from legio.decisions import Choice, token_of
from legio.errors import DocumentError, Refused
from legio.ports import Block, Button, Clock, Order, Proof, Request
from tests.camp import Legion, Setting, legion
from tests.clocks import FakeClock
from tests.fakes import Stage
from tests.scenes import scene, until

LIST = Request(
    agent="pullo",
    thread="thread 1",
    tool="Bash",
    text="pullo asks to run a command.",
    block=Block("ls", "bash"),
    scope="Bash ls",
    covers="this very command, word for word",
)
ONCE, SESSION, DENY = range(3)


@dataclass
class Table:
    """Approvals over a legion, and what was written on cards that nobody pressed."""

    camp: Legion
    approvals: Approvals
    ended: dict[str, str]

    def asking(self, request: Request = LIST) -> "asyncio.Task[bool]":
        return asyncio.create_task(self.approvals.ask(request))

    async def press(self, card: int, button: int) -> str:
        return await self.camp.decisions.press(await self.data(card, button))

    async def data(self, card: int, button: int) -> str:
        buttons = (await self.camp.card(card))["buttons"]
        assert isinstance(buttons, list)
        return str(buttons[button][1])

    async def last_words(self, card: int) -> str:
        token = token_of(await self.data(card, 0)) or ""
        await until(lambda: token in self.ended)
        return self.ended[token]


@asynccontextmanager
async def table(tmp_path: Path, clock: Clock | None = None) -> AsyncIterator[Table]:
    clock = clock or SystemClock()
    async with legion(tmp_path / "castra", Stage(), Setting(clock=clock)) as camp:
        ended: dict[str, str] = {}
        camp.decisions.listen(lambda token, said: ended.update({token: said}))

        async def tell(
            text: str, buttons: Sequence[Button] = (), *, block: Block | None = None, about: str = ""
        ) -> None:
            await camp.praetorium.outbox.add([camp.messenger.notice(text, buttons, block=block)])

        async def cause() -> str:
            return "nuntius 7"

        yield Table(camp, Approvals(camp.decisions, clock, tell, cause), ended)


@pytest.mark.parametrize(
    ("button", "allowed", "said"),
    [
        (ONCE, True, "pullo · Bash: allowed once."),
        (
            SESSION,
            True,
            "pullo · Bash: allowed for this session. It covers this very command, word for word.",
        ),
        (DENY, False, "pullo · Bash: denied."),
    ],
)
@scene
async def test_caesars_word_allows_or_denies_a_tool(
    tmp_path: Path,
    button: int,
    allowed: bool,  # noqa: FBT001
    said: str,
) -> None:
    async with table(tmp_path) as it:
        asking = it.asking()
        assert await it.press(0, button) == said
        assert await asking is allowed
        card = await it.camp.card(0)
    assert card["block"] == "ls"
    assert str(card["text"]).endswith("For this session means: this very command, word for word.")
    assert it.ended == {}


@scene
async def test_an_allowance_covers_its_scope_on_its_thread_and_no_more(tmp_path: Path) -> None:
    async with table(tmp_path) as it:
        first = it.asking()
        await it.press(0, SESSION)
        assert await first
        assert await it.approvals.ask(replace(LIST, text="again"))
        others = (
            replace(LIST, scope="Bash rm"),
            replace(LIST, agent="brutus"),
            replace(LIST, thread="thread 2"),
        )
        for number, other in enumerate(others, 1):
            asking = it.asking(other)
            await it.press(number, DENY)
            assert not await asking
        anew = it.asking(replace(LIST, thread="thread 2"))
        await it.press(4, SESSION)
        assert await anew
        back = it.asking(LIST)
        await it.press(5, DENY)
        assert not await back, "an allowance of an earlier thread is gone for good"


@scene
async def test_an_allowance_settles_what_waits_already_for_the_same(tmp_path: Path) -> None:
    async with table(tmp_path) as it:
        first, second = it.asking(), it.asking()
        await it.camp.card(1)
        await it.press(0, SESSION)
        assert await first
        assert await second
        assert await it.last_words(1) == COVERED


@scene
async def test_silence_on_a_tool_means_no_and_the_card_says_so(tmp_path: Path) -> None:
    clock = FakeClock()
    async with table(tmp_path, clock) as it:
        asking = it.asking()
        await until(lambda: clock.sleepers)
        clock.advance(APPROVAL_SECONDS + 1)
        assert await asking is False
        assert await it.last_words(0) == UNANSWERED


@pytest.mark.parametrize("how", ["cancelled", "withdrawn"])
@scene
async def test_a_word_that_comes_after_the_turn_went_on_does_nothing(tmp_path: Path, how: str) -> None:
    async with table(tmp_path) as it:
        asking = it.asking()
        data = await it.data(0, ONCE)
        it.approvals.withdraw("brutus")
        assert not asking.done()
        if how == "cancelled":
            asking.cancel()
        else:
            it.approvals.withdraw("pullo")
        answers = await asyncio.gather(asking, return_exceptions=True)
        assert True not in answers
        assert await it.last_words(0) == STOPPED
        with pytest.raises(Refused, match="dead"):
            await it.camp.decisions.press(data)


# --- orders --------------------------------------------------------------------------------------------


def order(done: list[Proof], error: Exception | None = None) -> Order:
    def enact(proof: Proof) -> str:
        if error is not None:
            raise error
        done.append(proof)
        return "It stands."

    return Order("legatus", "The Legatus asks to publish.", Block("Speak plainly."), enact)


@scene
async def test_an_order_is_enacted_by_the_press_with_its_proof(tmp_path: Path) -> None:
    done: list[Proof] = []
    async with table(tmp_path) as it:
        asking = asyncio.create_task(it.approvals.sanction(order(done)))
        assert (await it.camp.card(0))["block"] == "Speak plainly."
        assert done == []
        assert await it.press(0, 0) == "Allowed. It stands."
        assert await asking == "Caesar allowed it. It stands."
    assert done == [Proof("nuntius 7", "caesar")]


@scene
async def test_an_order_that_revokes_wants_what_a_grave_choice_wants(tmp_path: Path) -> None:
    class Sealed:
        """A seal that keeps what it was asked."""

        def __init__(self) -> None:
            self.asked: list[Choice] = []

        def ask(self, choice: Choice) -> str:
            self.asked.append(choice)
            return "Confirm it."

    done: list[Proof] = []
    async with table(tmp_path) as it:
        it.camp.decisions.seal = seal = Sealed()
        asking = asyncio.create_task(it.approvals.sanction(replace(order(done), grave=True)))
        assert await it.press(0, 0) == "Confirm it."
        assert done == []
        (allowed,) = seal.asked
        assert await allowed.act() == "Allowed. It stands."
        assert await asking == "Caesar allowed it. It stands."
    assert len(done) == 1


@scene
async def test_an_order_that_is_denied_or_not_answered_changes_nothing(tmp_path: Path) -> None:
    done: list[Proof] = []
    clock = FakeClock()
    async with table(tmp_path, clock) as it:
        asking = asyncio.create_task(it.approvals.sanction(order(done)))
        assert await it.press(0, 1) == "Denied: nothing was changed."
        with pytest.raises(Refused, match="Caesar denied it"):
            await asking
        asking = asyncio.create_task(it.approvals.sanction(order(done)))
        data = await it.data(1, 0)
        await until(lambda: clock.sleepers)
        clock.advance(APPROVAL_SECONDS + 1)
        with pytest.raises(Refused, match="did not answer in time"):
            await asking
        with pytest.raises(Refused, match="dead"):
            await it.camp.decisions.press(data)
    assert done == []


@scene
async def test_what_goes_wrong_with_an_order_is_told_on_the_card_and_to_the_agent(tmp_path: Path) -> None:
    async with table(tmp_path) as it:
        asking = asyncio.create_task(it.approvals.sanction(order([], DocumentError("the disk is full."))))
        await it.camp.card(0)
        with pytest.raises(DocumentError, match="full"):
            await it.press(0, 0)
        with pytest.raises(DocumentError, match="full"):
            await asking
