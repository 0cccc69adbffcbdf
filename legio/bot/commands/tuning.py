"""Model and effort: what is in force and why, and Caesar's own word, for one agent or for all."""

from legio.bot.commands.command import Command
from legio.bot.commands.words import agent, folded
from legio.bot.desk import Call, Desk, Misused, Reply
from legio.config.rules import Text
from legio.decisions import Choice
from legio.nuntius import LEGATUS
from legio.roster import Profile
from legio.tuning import EFFORTS, EVERYONE, Dial

DEFAULT = "default"
LONGEST_MODEL = 100


class TuningCommands:
    """What Caesar sets of the model."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        efforts = "|".join((*EFFORTS, DEFAULT))
        self.table = (
            Command("model", "[@name] [model|default]", "Which model answers; set another", self._model),
            Command("effort", f"[@name] [{efforts}]", "How hard the model thinks; set it", self._effort),
        )

    async def _model(self, call: Call) -> Reply:
        return await self._tuned(Dial.MODEL, call)

    async def _effort(self, call: Call) -> Reply:
        return await self._tuned(Dial.EFFORT, call)

    async def _tuned(self, dial: Dial, call: Call) -> Reply:
        name, value = self._understood(call.words)
        if value is None:
            return self._shown(dial, name)
        if dial is Dial.EFFORT and value not in (*EFFORTS, DEFAULT):
            raise Misused(f"'{value}' is no effort.")
        return Reply(await self._say(dial, name, value))

    def _understood(self, words: str) -> tuple[str, str | None]:
        """Whom it is for and what is to be set; a first word that is somebody's name is that."""
        parts = words.split()
        name = EVERYONE
        if parts and (parts[0].startswith("@") or folded(parts[0]) in (LEGATUS, *self._desk.roster.names())):
            name = agent(self._desk.roster, parts.pop(0))
        if len(parts) > 1 or (parts and not isinstance(Text(LONGEST_MODEL).read(parts[0]), str)):
            raise Misused("one name and one word are enough.")
        return name, parts[0] if parts else None

    def _shown(self, dial: Dial, name: str) -> Reply:
        profiles = self._profiles() if name == EVERYONE else (self._desk.roster.profile(name),)
        rows = [f"{profile.name}: {self._in_force(dial, profile)}" for profile in profiles]
        asked = f"Set {dial} for {name or 'all'}:"
        options = EFFORTS if dial is Dial.EFFORT else self._desk.sight.tuning.models(self._profiles())
        choices = [self._choice(dial, name, option) for option in (*options, DEFAULT)]
        return Reply("\n".join([*rows, "", asked]), self._desk.decisions.offer(choices))

    def _choice(self, dial: Dial, name: str, value: str) -> Choice:
        async def act() -> str:
            return await self._say(dial, name, value)

        return Choice(value, act)

    async def _say(self, dial: Dial, name: str, value: str) -> str:
        tuning = self._desk.sight.tuning
        await tuning.say(dial, None if value == DEFAULT else value, name)
        if name != EVERYONE:
            shown = self._in_force(dial, self._desk.roster.profile(name))
            said = f"{name} has the {dial} {shown} from his next turn on; his thread goes on."
        else:
            said = self._said_for_all(dial, value)
        if value == DEFAULT or dial is Dial.EFFORT:
            return said
        back = f"/{dial} @{name} {DEFAULT}" if name else f"/{dial} {DEFAULT}"
        return f"{said}\nIf the provider does not know it, the next turn says so: {back} goes back."

    def _said_for_all(self, dial: Dial, value: str) -> str:
        word = f"{dial.capitalize()} for all: {value}, from each one's next turn on; the threads go on."
        said = self._desk.sight.tuning.said(dial)
        others = [
            f"{profile.name} keeps {self._in_force(dial, profile)}"
            for profile in self._profiles()
            if said is not None and self._desk.sight.tuning.of(dial, profile).value != said
        ]
        return "\n".join([word, *others])

    def _in_force(self, dial: Dial, profile: Profile) -> str:
        choice = self._desk.sight.tuning.of(dial, profile)
        return f"{choice.value or DEFAULT} ({choice.reason})"

    def _profiles(self) -> tuple[Profile, ...]:
        return (self._desk.roster.profile(LEGATUS), *self._desk.roster.centuriones())
