"""Who may begin, who waits, and what Caesar's word does for them: the port `Purse` under the configured caps.

A turn begins when what was spent today, what is set aside for the turns at work and an estimate of its own
keep within the cap of all agents and that of its own agent. The others wait, all of them on one card, and
Caesar's word on it is for all of them. What is set aside is held in memory alone: a turn that a restart takes
up asks again, and nobody keeps money for a process that is gone. What Caesar raised is in the record.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from zoneinfo import ZoneInfo

import structlog

from legio.budget.caps import EVERYBODY, RAISE_PERCENT, Books, Cap, Wish, amounts, card, names
from legio.config import BudgetConfig
from legio.days import beginning, day_of
from legio.decisions import Choice, Decisions, token_of
from legio.nuntius import Turn
from legio.ports import Button, Clock, Costs, Leave

log = structlog.get_logger()

ESTIMATED_FROM = 20
"""How many of its agent's last turns an estimate is the median of: a single long one does not mislead it."""
LEAST_USD = 0.01
"""What is set aside for any turn, also for an agent's first."""
CARD_SECONDS = 12 * 3600.0
GATHER_SECONDS = 1.0
"""How long others are waited for before Caesar is asked: of `@all` each comes a moment later."""
LOOK_SECONDS = 30.0
"""While somebody waits: how often it is looked whether a new day began, or the card died."""
NOBODY_WAITS = "Nobody waits for this any more."

Tell = Callable[[str, Sequence[Button]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Waiter:
    """A turn that may not begin yet, and where the word on it will be found."""

    turn: Turn
    word: "asyncio.Future[Leave | None]"


@dataclass(frozen=True, slots=True)
class Means:
    """What a budget works with. `zone` is where the owner's days begin."""

    costs: Costs
    decisions: Decisions
    clock: Clock
    tell: Tell
    zone: ZoneInfo


class Budget:
    """The port `Purse`; `run` is the body of its one task."""

    def __init__(self, config: BudgetConfig, means: Means) -> None:
        self._config = config
        self._means = means
        self._kept: dict[int, Wish] = {}
        self._waiting: dict[int, _Waiter] = {}
        self._card: tuple[Button, ...] = ()
        self._deciding = False
        self._counting = asyncio.Lock()
        self._changed = asyncio.Event()

    # --- the port ----------------------------------------------------------------------------------------

    async def reserve(self, turn: Turn) -> Leave | None:
        """1. Sets money aside for the turn; None, and nothing is set aside, where too little is left."""
        async with self._counting:
            wish = await self._wish(turn)
            return self._take(turn, wish, await self._books())

    async def word(self, turn: Turn) -> Leave | None:
        """2. Waits until the turn may begin, and asks Caesar meanwhile; None when he said no."""
        waiter = self._waiting[turn.id] = _Waiter(turn, asyncio.get_running_loop().create_future())
        self._changed.set()
        try:
            return await waiter.word
        finally:
            del self._waiting[turn.id]
            if not self._waiting:  # who waits next is not to hang on a card that speaks of others
                self._means.decisions.withdraw(self._card, NOBODY_WAITS)

    def withdraw(self, turn: Turn) -> None:
        """3. The turn waits no longer: its `word` is no. Does nothing where none is waited for."""
        waiter = self._waiting.get(turn.id)
        if waiter is not None and not waiter.word.done():
            waiter.word.set_result(None)

    def release(self, turn: Turn) -> None:
        """4. What was set aside for the turn is free again; what it did cost is in the record by now."""
        if self._kept.pop(turn.id, None) is not None:
            self._changed.set()

    # --- for whoever looks at it -------------------------------------------------------------------------

    async def today(self) -> tuple[Cap, ...]:
        """The caps as they stand now: of all agents together first, then of each who has to do with his."""
        books = await self._books()
        caps = (cap for agent in books.agents or (EVERYBODY,) for cap in self._caps(agent, books))
        return tuple({cap.whose: cap for cap in caps}.values())

    # --- while somebody waits ----------------------------------------------------------------------------

    async def run(self) -> None:
        """Let those begin for whom there is enough again, and ask Caesar about the others, for ever."""
        while True:
            await self._something()
            self._changed.clear()
            if await self._look(ask=False):
                await self._means.clock.sleep(GATHER_SECONDS)
                await self._look(ask=True)

    @property
    def _asked(self) -> bool:
        """Whether a card lies before Caesar, or what he pressed on it is being done."""
        token = token_of(self._card[0].data) if self._card else None
        return self._deciding or (token is not None and self._means.decisions.is_open(token))

    async def _something(self) -> None:
        """Until something changed or, while somebody waits, some time has passed."""
        if not self._waiting:
            await self._changed.wait()
            return
        timer = asyncio.create_task(self._means.clock.sleep(LOOK_SECONDS), name="budget:timer")
        changed = asyncio.create_task(self._changed.wait(), name="budget:changed")
        try:
            await asyncio.wait({timer, changed}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
            changed.cancel()
            await asyncio.gather(timer, changed, return_exceptions=True)

    async def _look(self, *, ask: bool) -> bool:
        """Let begin who can; whether Caesar has to be asked about the others, and is not yet."""
        async with self._counting:
            wished = [(waiter, await self._wish(waiter.turn)) for waiter in self._open()]
            if not wished:
                return False
            books = await self._books()
            for waiter, wish in wished:
                if not waiter.word.done() and (leave := self._take(waiter.turn, wish, books)) is not None:
                    waiter.word.set_result(leave)
            left = [wish for waiter, wish in wished if not waiter.word.done()]
            if not left or self._asked:
                return False
            if ask:
                await self._ask(left, books)
            return not ask

    def _open(self) -> list[_Waiter]:
        return [waiter for waiter in self._waiting.values() if not waiter.word.done()]

    # --- counting ----------------------------------------------------------------------------------------

    async def _wish(self, turn: Turn) -> Wish:
        latest = await self._means.costs.latest(turn.agent, ESTIMATED_FROM)
        return Wish(turn.agent, max(LEAST_USD, median(latest)) if latest else LEAST_USD)

    async def _books(self) -> Books:
        day = day_of(self._means.clock.now(), self._means.zone)
        raised = await self._means.costs.raised(day)
        # Read last of all: a turn that ended before this has given back what was kept for it, or will not
        # have been counted yet.
        expenses = await self._means.costs.expenses(beginning(day, self._means.zone))
        return Books({it.agent: it.usd for it in expenses}, raised, self._kept.values())

    def _take(self, turn: Turn, wish: Wish, books: Books) -> Leave | None:
        if not all(cap.bears(wish.usd) for cap in self._caps(turn.agent, books)):
            return None
        self._kept[turn.id] = wish
        return Leave()

    def _caps(self, agent: str, books: Books) -> tuple[Cap, ...]:
        """The caps that a turn of that agent is under."""
        whole, own = books.whole(self._config.day_usd), books.own(agent, self._config.agent_day_usd)
        return tuple(cap for cap in (whole, own) if cap is not None)

    # --- Caesar's word -----------------------------------------------------------------------------------

    async def _ask(self, left: Sequence[Wish], books: Books) -> None:
        """One card for all who wait; what it would raise is enough for all of them."""
        wanted: dict[str, float] = {EVERYBODY: sum(wish.usd for wish in left)}
        for wish in left:
            wanted[wish.agent] = wanted.get(wish.agent, 0.0) + wish.usd
        caps = {cap.whose: cap for wish in left for cap in self._caps(wish.agent, books)}
        short = [cap for cap in caps.values() if not cap.bears(wanted[cap.whose])]
        percent = RAISE_PERCENT * max(cap.steps(wanted[cap.whose]) for cap in short)
        choices = self._choices(percent, {cap.whose: cap.configured * percent / 100 for cap in short})
        self._card = self._means.decisions.offer(choices, seconds=CARD_SECONDS)
        await self._means.tell(card(short, left), self._card)
        log.info("budget.reached", waiting=len(left), caps=[cap.whose or "everybody" for cap in short])

    def _choices(self, percent: int, raises: Mapping[str, float]) -> tuple[Choice, ...]:
        async def raised() -> str:
            if not self._open():
                return NOBODY_WAITS
            await self._means.costs.raise_caps(day_of(self._means.clock.now(), self._means.zone), raises)
            self._changed.set()
            return f"raised for today: {amounts(raises)}."

        async def cheaper() -> str:
            async with self._counting:
                # Once more from the start: whoever was stopped meanwhile must keep nothing aside.
                wished = [(waiter, await self._wish(waiter.turn)) for waiter in self._open()]
                begun = [(waiter, wish) for waiter, wish in wished if not waiter.word.done()]
                for waiter, wish in begun:
                    self._kept[waiter.turn.id] = wish
                    waiter.word.set_result(Leave(self._config.cheaper_model))
            return _did(f"this once with {self._config.cheaper_model}", [waiter for waiter, _ in begun])

        async def stopped() -> str:
            waiters = self._open()
            for waiter in waiters:
                waiter.word.set_result(None)
            return _did("stopped", waiters)

        return (
            Choice(f"+{percent} % for today", self._decided(raised)),
            Choice(f"Once with {self._config.cheaper_model}", self._decided(cheaper)),
            Choice("Stop", self._decided(stopped)),
        )

    def _decided(self, act: Callable[[], Awaitable[str]]) -> Callable[[], Awaitable[str]]:
        """A card that was pressed is none any more: nobody is to be asked again before it was done."""

        async def decide() -> str:
            self._deciding = True
            try:
                return await act()
            finally:
                self._deciding = False

        return decide


def _did(what: str, waiters: Sequence[_Waiter]) -> str:
    return f"{what}: {names(waiter.turn.agent for waiter in waiters)}." if waiters else NOBODY_WAITS
