"""Caesar's word on what an agent may not do of its own accord: a tool granted only so, or a standing order.

It is asked for by a card, and silence means no. What nobody waits for any more (the turn was stopped, or is
over) is withdrawn, and the card says so. An allowance for the session lasts as long as the agent's thread,
and never longer than this process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from legio.decisions import Choice, Decisions
from legio.errors import LegioError, Refused
from legio.nuntius import CAESAR
from legio.ports import Block, Button, Clock, Order, Proof, Request

APPROVAL_SECONDS = 600.0

STOPPED = "The turn is over: nothing was done."
UNANSWERED = "Not answered within ten minutes: nothing was done."
COVERED = "Allowed for this session, with another one."


class Tell(Protocol):
    """How Caesar is told."""

    async def __call__(
        self, text: str, buttons: Sequence[Button] = (), *, block: Block | None = None, about: str = ""
    ) -> None:
        """1. A word with buttons and a block under it, about an agent."""


Cause = Callable[[], Awaitable[str]]
"""The id of the nuntius of Caesar's that the Legatus answers now; raises `Refused` where there is none."""

_Key = tuple[str, str, str]
"""Agent, thread and scope of an allowance."""


@dataclass(eq=False, slots=True)
class _Question:
    """One card. `last_words` are what it says when nobody pressed; the answer is "" where it was denied."""

    agent: str
    answer: asyncio.Future[str]
    key: _Key | None = None
    last_words: str = STOPPED
    buttons: tuple[Button, ...] = field(default=())


class Approvals:
    """Asks by a card with buttons. `cause` is asked before an order is shown."""

    def __init__(self, decisions: Decisions, clock: Clock, tell: Tell, cause: Cause) -> None:
        self._decisions = decisions
        self._clock = clock
        self._tell = tell
        self._cause = cause
        self._open: set[_Question] = set()
        self._allowed: set[_Key] = set()

    async def ask(self, request: Request) -> bool:
        """Whether the agent may use the tool so: where an allowance covers it, or at Caesar's word."""
        key = (request.agent, request.thread, request.scope)
        if key in self._allowed:
            return True
        question = _Question(request.agent, _future(), key)
        choices = (
            self._choice(question, "Allow once", f"{request.agent} · {request.tool}: allowed once."),
            Choice("Allow for this session", self._session(question, request)),
            self._choice(question, "Deny", f"{request.agent} · {request.tool}: denied.", answer=""),
        )
        text = f"{request.text}\n\nFor this session means: {request.covers}."
        return bool(await self._put(question, choices, text, request.block))

    async def sanction(self, order: Order) -> str:
        """Enact the order when Caesar allows it; returns what was done, raises `Refused` with what became."""
        proof = Proof(await self._cause(), CAESAR)
        question = _Question(order.agent, _future())

        async def allow() -> str:
            _in_time(question)
            try:
                done = order.enact(proof)
            except LegioError as error:
                question.answer.set_exception(error)
                raise
            question.answer.set_result(done)
            return f"Allowed. {done}"

        denied = self._choice(question, "Deny", "Denied: nothing was changed.", answer="")
        allowed = Choice("Allow", allow, grave=order.grave)
        done = await self._put(question, (allowed, denied), order.text, order.block)
        if done is None:
            raise Refused("Caesar did not answer in time: nothing was changed.", remedy="Tell him so.")
        if not done:
            raise Refused("Caesar denied it: nothing was changed.", remedy="Do not ask again for the same.")
        return f"Caesar allowed it. {done}"

    def withdraw(self, agent: str) -> None:
        """The agent's turn is over: whatever still waits in its name is decided, and its card says so."""
        for question in [question for question in self._open if question.agent == agent]:
            question.answer.cancel()

    async def _put(
        self, question: _Question, choices: Sequence[Choice], text: str, block: Block | None
    ) -> str | None:
        """The answer to a question, None where there was none in time."""
        question.buttons = self._decisions.offer(choices, seconds=APPROVAL_SECONDS)
        self._open.add(question)
        try:
            await self._tell(text, question.buttons, block=block, about=question.agent)
            return await self._answer(question)
        finally:
            self._open.discard(question)
            question.answer.cancel()
            self._decisions.withdraw(question.buttons, question.last_words)

    async def _answer(self, question: _Question) -> str | None:
        timer = asyncio.create_task(self._clock.sleep(APPROVAL_SECONDS), name=f"approval:{question.agent}")
        try:
            waited: set[asyncio.Future[Any]] = {timer, question.answer}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if question.answer.cancelled():
                return ""
            if not question.answer.done():
                question.last_words = UNANSWERED
                return None
            return question.answer.result()
        finally:
            timer.cancel()

    def _choice(self, question: _Question, label: str, said: str, *, answer: str = "allowed") -> Choice:
        async def act() -> str:
            _in_time(question)
            question.answer.set_result(answer)
            return said

        return Choice(label, act)

    def _session(self, question: _Question, request: Request) -> Callable[[], Awaitable[str]]:
        async def act() -> str:
            _in_time(question)
            question.answer.set_result("allowed")
            self._allow((request.agent, request.thread, request.scope))
            return f"{request.agent} · {request.tool}: allowed for this session. It covers {request.covers}."

        return act

    def _allow(self, key: _Key) -> None:
        """Remember the allowance, leave those of the agent's earlier threads behind, and settle its like."""
        agent, thread, _ = key
        self._allowed = {
            known for known in self._allowed if known[:2] == (agent, thread) or known[0] != agent
        }
        self._allowed.add(key)
        for other in self._open:
            if other.key == key and not other.answer.done():
                other.last_words = COVERED
                other.answer.set_result("allowed")


def _future() -> "asyncio.Future[str]":
    return asyncio.get_running_loop().create_future()


def _in_time(question: _Question) -> None:
    if question.answer.done():
        raise Refused("it is too late: the turn went on without it.")
