"""The conduct of agents: to stop them, and to begin with them afresh."""

from legio.bot.commands.command import Command
from legio.bot.commands.words import agent, leave
from legio.bot.desk import Call, Desk, Reply
from legio.decisions import Choice


class ConductCommands:
    """What Caesar does to a running agent."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.table = (
            Command("stop", "[name]", "Stop all that runs or waits, or one agent", self._stop),
            Command("reset", "<name>", "Begin an agent's conversation afresh (asks first)", self._reset),
        )

    async def _stop(self, call: Call) -> Reply:
        stopped = self._desk.legatus.stop(agent(self._desk.roster, call.words) if call.words else None)
        if not stopped:
            return Reply("Nothing was running.")
        return Reply(f"Stopping {', '.join(dict.fromkeys(turn.agent for turn in stopped))}.")

    async def _reset(self, call: Call) -> Reply:
        name = agent(self._desk.roster, call.words)

        async def reset() -> str:
            self._desk.legatus.reset(name)
            return f"{name} is being reset."

        buttons = self._desk.decisions.offer([Choice(f"Reset {name}", reset), leave("Nothing was reset.")])
        return Reply(f"Begin {name}'s conversation afresh? What runs is stopped.", buttons)
