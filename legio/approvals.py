"""Caesar's word on a tool that is granted only when he says so, each time it is used."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from legio.decisions import Choice, Decisions
from legio.errors import Refused
from legio.ports import Button, Clock

APPROVAL_SECONDS = 600.0
LONGEST_ARGUMENTS = 3000

Tell = Callable[[str, Sequence[Button]], Awaitable[None]]


class Approvals:
    """Asks by a card with buttons; silence means no."""

    def __init__(self, decisions: Decisions, clock: Clock, tell: Tell) -> None:
        self._decisions = decisions
        self._clock = clock
        self._tell = tell

    async def ask(self, agent: str, tool: str, arguments: Mapping[str, object]) -> bool:
        """Whether `agent` may use `tool` with these arguments, once."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        buttons = self._decisions.offer(
            [_choice(agent, tool, answer, allowed=True), _choice(agent, tool, answer, allowed=False)],
            seconds=APPROVAL_SECONDS,
        )
        shown = "\n".join(f"{key}: {value}" for key, value in arguments.items())[:LONGEST_ARGUMENTS]
        await self._tell(f"{agent} asks to use {tool}.\n\n{shown}", buttons)
        timer = asyncio.create_task(self._clock.sleep(APPROVAL_SECONDS), name=f"approval:{agent}")
        try:
            waited: set[asyncio.Future[Any]] = {timer, answer}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            return answer.done() and answer.result()
        finally:
            answer.cancel()
            timer.cancel()


def _choice(agent: str, tool: str, answer: "asyncio.Future[bool]", *, allowed: bool) -> Choice:
    async def act() -> str:
        if answer.done():
            raise Refused("it is too late: the turn went on without it.")
        answer.set_result(allowed)
        return f"{agent} · {tool}: {'allowed once' if allowed else 'denied'}."

    return Choice("Allow once" if allowed else "Deny", act)
