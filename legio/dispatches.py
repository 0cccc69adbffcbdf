"""Between agents: the Legatus asks a centurio for Caesar's sake, or says something that asks for no answer.

A dispatch is a turn like any other, whose answer goes to whoever waits for it here. It never outlives the
turn of the Legatus that it belongs to, and one nuntius of Caesar's leads to a bounded number of them.
"""

import asyncio
from collections.abc import Callable, Sequence

from legio.endings import Endings, sentence, written
from legio.errors import Refused
from legio.events import End, Failed, Stopped
from legio.nuntius import ALL, CAESAR, LEGATUS, Nuntius, Turn, distinct
from legio.ports import Parcel
from legio.record import Record
from legio.roster import Roster
from legio.sessions import Sessions

HOP_BUDGET = 12
"""How many dispatches one nuntius of Caesar's may lead to: agents that talk to agents cost without end."""

Dispatched = tuple[Turn, asyncio.Future[str]]
"""A dispatch's turn, and where its answer will be found."""


class Dispatches:
    """What the Legatus sends to others. `sessions` gives the sessions, which are built later than this."""

    def __init__(
        self, record: Record, roster: Roster, endings: Endings, sessions: Callable[[], Sessions]
    ) -> None:
        self._record = record
        self._roster = roster
        self._endings = endings
        self._sessions = sessions
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._one_at_a_time = asyncio.Lock()
        self._sending: set[asyncio.Task[Dispatched]] = set()
        self._warned_of = 0

    async def ask(self, name: str, text: str) -> str:
        """The Legatus asks a centurio for Caesar's sake and gets his final text.

        Raises `Refused` when there is no such centurio, when the hop budget is used up (Caesar is told), or
        when the centurio failed, with the reason.
        """
        if name not in self._roster.names():
            known = ", ".join(self._roster.names()) or "nobody"
            raise Refused(f"there is no centurio '{name}'.", remedy=f"There is: {known}.")
        asking = self._sessions().of(LEGATUS).current
        if asking is None:
            raise Refused("there is no turn of the Legatus to dispatch for.")
        sending = asyncio.create_task(self._sent(asking, name, text), name=f"dispatch:{name}")
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)
        try:
            _, answer = await asyncio.shield(sending)
            return await answer
        except asyncio.CancelledError:
            # What had begun to be written is written all the same: a turn that somebody has to end.
            sending.add_done_callback(self._call_back)
            raise

    async def post(self, text: str, audience: Sequence[str]) -> Nuntius:
        """The Legatus says something that asks for no answer; Caesar gets it if he is addressed."""
        known = {CAESAR, ALL, *self._roster.names()}
        unknown = [name for name in audience if name not in known]
        if unknown or not audience:
            raise Refused(
                f"unknown audience: {', '.join(unknown) or 'nobody'}.", remedy="Use list_centuriones."
            )
        heard = (ALL,) if ALL in audience else distinct(audience)
        nuntius = written(LEGATUS, text, heard, self._record.clock.now())
        parcels: tuple[Parcel, ...] = ()
        if heard == (ALL,) or CAESAR in heard:
            asking = self._sessions().of(LEGATUS).current
            carrier = asking or Turn(0, LEGATUS, nuntius, root=0)
            parcels = self._record.messenger.answer(carrier, self._endings.heading(LEGATUS), text)
        posted = await self._record.nuntii.post(nuntius, parcels)
        self._record.messenger.wake()
        return posted

    def settle(self, turn: Turn, end: End) -> None:
        """The turn has ended: whoever waits for its answer is given it; nothing, if nobody does."""
        waiting = self._waiting.pop(turn.id, None)
        if waiting is None or waiting.done():
            return
        match end:
            case Failed() | Stopped():
                waiting.set_exception(Refused(sentence(turn.agent, end)))
            case answered:
                waiting.set_result(answered.text)

    async def _sent(self, asking: Turn, name: str, text: str) -> Dispatched:
        """The turn, written and given to its session, and where its answer will be found."""
        async with self._one_at_a_time:  # or dispatches at once would all find the budget unspent
            await self._spend_a_hop(asking)
            nuntius = written(LEGATUS, text, (name,), self._record.clock.now(), reply_to=asking.nuntius)
            (turn,) = await self._record.turns.admit(nuntius, [name], root=asking.root)
        answer = self._waiting[turn.id] = asyncio.get_running_loop().create_future()
        self._sessions().of(name).submit(turn)
        return turn, answer

    def _call_back(self, sending: "asyncio.Task[Dispatched]") -> None:
        """Stop the turn of a dispatch whose answer nobody waits for any more."""
        if sending.cancelled() or sending.exception() is not None:
            return
        turn, answer = sending.result()
        if answer.done() and not answer.cancelled():
            answer.exception()  # it failed before that, and nobody was told
        answer.cancel()
        self._sessions().of(turn.agent).stop(turn)

    async def _spend_a_hop(self, asking: Turn) -> None:
        if await self._record.nuntii.dispatched(asking.root) < HOP_BUDGET:
            return
        if self._warned_of != asking.root:
            self._warned_of = asking.root
            await self._record.tell(
                f"⛔ The Legatus wanted to dispatch more than {HOP_BUDGET} times for one message of"
                " yours; the rest was refused. Write again if it should go on."
            )
        raise Refused(
            f"the budget of {HOP_BUDGET} dispatches for this message of Caesar's is used up.",
            remedy="Answer with what you have; Caesar was told.",
        )
