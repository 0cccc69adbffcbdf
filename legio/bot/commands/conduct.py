"""The conduct of agents: to stop them, and to begin with them afresh."""

from collections import OrderedDict

from legio.bot.commands.command import Command
from legio.bot.commands.words import agent, leave
from legio.bot.desk import Call, Desk, Reply
from legio.decisions import Choice
from legio.nuntius import Turn

REMEMBERED = 100
"""Commands that Telegram may bring once more while nobody has told it that they arrived."""


class ConductCommands:
    """What Caesar does to a running agent."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._halted: OrderedDict[int, tuple[Turn, ...]] = OrderedDict()
        self.table = (
            Command("stop", "[name]", "Stop all that runs or waits, or one agent", self._stop, self._halt),
            Command("reset", "<name>", "Begin an agent's conversation afresh (asks first)", self._reset),
        )

    def _halt(self, call: Call) -> None:
        """Stop what there is when the command arrives; once, however often Telegram brings it."""
        if call.update_id is not None and call.update_id not in self._halted:
            self._halted[call.update_id] = self._desk.legatus.stop(self._whom(call))
            if len(self._halted) > REMEMBERED:
                self._halted.popitem(last=False)

    def _whom(self, call: Call) -> str | None:
        return agent(self._desk.roster, call.words) if call.words else None

    async def _stop(self, call: Call) -> Reply:
        """Stop what came before the command and was not there yet when that arrived."""
        stopped = (*self._halted.get(call.update_id or 0, ()), *self._desk.legatus.stop(self._whom(call)))
        if not stopped:
            return Reply("Nothing was running.")
        return Reply(f"Stopping {', '.join(dict.fromkeys(turn.agent for turn in stopped))}.")

    async def _reset(self, call: Call) -> Reply:
        name = agent(self._desk.roster, call.words)

        async def reset() -> str:
            self._desk.legatus.reset(name)
            return f"{name} is being reset."

        choices = Choice(f"Reset {name}", reset, grave=True), leave("Nothing was reset.")
        buttons = self._desk.decisions.offer(choices)
        return Reply(f"Begin {name}'s conversation afresh? What runs is stopped.", buttons)
