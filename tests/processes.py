"""Legio as a process of its own: an explicit environment, servers on loopback, and nothing left behind.

Whatever a process says is kept, and none of its secrets may be in it: that is looked at in every scene.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.config.secrets import MODEL, TELEGRAM, TOTP
from legio.local.botapi.message import Message
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from legio.local.model import ModelState, model_server
from legio.templates import init
from tests.rollcalls import is_roll_call
from tests.scenes import TICK_SECONDS, until

CAESAR = 77
TOKEN = "770077:" + "Secret_" * 5
KEY = "sk-ant-" + "secret-key-of-caesar"
DEADLINE_SECONDS = 25.0
MEASURING = ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START")
"""What coverage hands to child processes; everything else is given explicitly."""

_CAPABILITY_DROP = 24
_OVERRIDES = (1, 2)
"""prctl(PR_CAPBSET_DROP) of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: root that obeys a file's mode."""
_C = ctypes.CDLL(None)


@dataclass
class LegioProcess:
    """One running `python -m legio …`."""

    process: asyncio.subprocess.Process
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    readers: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def output(self) -> str:
        return "".join([*self.stdout, *self.stderr])

    @property
    def errors(self) -> str:
        return "".join(self.stderr)

    async def says(self, text: str, *, seconds: float = DEADLINE_SECONDS) -> str:
        """The first line that holds `text`; fails when it ends or `seconds` pass before that."""
        end = time.monotonic() + seconds
        while not (found := [line for line in (*self.stdout, *self.stderr) if text in line]):
            if time.monotonic() > end or all(reader.done() for reader in self.readers):
                pytest.fail(f"Legio did not say {text!r}, but:\n{self.output}")
            await asyncio.sleep(TICK_SECONDS)
        return found[0]

    async def ends(self, *, seconds: float = DEADLINE_SECONDS) -> int:
        """Its exit code; fails when it has none within `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                code = await self.process.wait()
                await asyncio.gather(*self.readers)
        except TimeoutError:
            pytest.fail(f"Legio did not end within {seconds} s, but said:\n{self.output}")
        return code

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def family(self) -> list[int]:
        """The pids of all that it has started and that still live, its own first while it does."""
        return sorted(_session(self.pid))


@contextlib.asynccontextmanager
async def legio(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None, mortal: bool = False
) -> AsyncIterator[LegioProcess]:
    """`python -m legio` with `arguments` in `folder`; `mortal` takes from root the right to ignore modes."""
    given = dict(environment or {})
    home = folder / "home"
    home.mkdir(exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "legio", *arguments),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **_measured(), **given},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**20,
        start_new_session=True,
        preexec_fn=_obey_modes if mortal else None,
    )
    made = LegioProcess(process)
    assert process.stdout is not None
    assert process.stderr is not None
    made.readers = [
        asyncio.create_task(_read(process.stdout, made.stdout), name="stdout"),
        asyncio.create_task(_read(process.stderr, made.stderr), name="stderr"),
    ]
    try:
        yield made
        _keeps_secrets(made.output, given)
    finally:
        await _take_down(made)
    _keeps_secrets(made.output, given)


async def refused(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None, mortal: bool = False
) -> str:
    """What Legio says when it refuses to run; nothing else, and the exit code is 1."""
    async with legio(*arguments, folder=folder, environment=environment, mortal=mortal) as process:
        code = await process.ends()
    assert (code, process.stdout) == (1, []), process.output
    assert "Traceback" not in process.errors
    return process.errors


async def said(*arguments: str, folder: Path, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Exit code and output of a command that ends by itself."""
    async with legio(*arguments, folder=folder, environment=environment) as process:
        code = await process.ends()
    return code, process.output


@dataclass
class Station:
    """The loopback servers, a castra, and the environment in which Legio finds both."""

    folder: Path
    telegram: BotApiState
    model: ModelState
    environment: dict[str, str]

    @property
    def castra(self) -> Castra:
        return Castra(self.folder / "castra")

    @contextlib.asynccontextmanager
    async def run(self, *arguments: str, **changes: str) -> AsyncIterator[LegioProcess]:
        """Legio on the servers, from the moment on at which it serves."""
        environment = self.environment | changes
        async with legio(*(arguments or ("run",)), folder=self.folder, environment=environment) as process:
            await process.says("Ctrl-C stops it.")
            yield process

    async def ask(self, text: str, *, answers: int = 1) -> list[str]:
        """Caesar writes; the next `answers` lasting messages of the bot, as texts."""
        before = {message.id for message in self.telegram.messages}
        self.telegram.say(text)
        await until(
            lambda: len(self._fresh(before)) >= answers, deadline=DEADLINE_SECONDS, what=f"answers to {text}"
        )
        return [message.text.plain for message in self._fresh(before)]

    def _fresh(self, before: set[int]) -> list[Message]:
        return [
            message
            for message in self.telegram.answers
            if message.id not in before and not is_roll_call(message.text.plain)
        ]


@contextlib.asynccontextmanager
async def station(folder: Path) -> AsyncIterator[Station]:
    """The servers, and in `folder` what `legio init` writes."""
    init(folder)
    telegram, model = BotApiState(token=TOKEN, owner_id=CAESAR), ModelState(key=KEY)
    async with bot_api_server(telegram) as page, model_server(model) as url:
        yield Station(folder, telegram, model, surroundings(page, url))


def surroundings(page: str, model: str) -> dict[str, str]:
    """The environment of a Legio whose Telegram is at `page` and whose model is at `model`."""
    return {
        "TELEGRAM_BOT_TOKEN": TOKEN,
        "ANTHROPIC_API_KEY": KEY,
        "LEGIO_TELEGRAM_CAESAR_ID": str(CAESAR),
        "LEGIO_TELEGRAM_BASE_URL": page,
        # Each message is answered for itself.
        "LEGIO_TELEGRAM_GATHER_SECONDS": "0",
        "LEGIO_CLAUDE_BASE_URL": model,
        "LEGIO_CONSOLE_PORT": "0",
    }


NOWHERE = surroundings("http://127.0.0.1:9", "http://127.0.0.1:9")
"""Everything is set, and nobody answers."""


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in `folder`, to be compared with what stands there later."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "home" not in path.relative_to(folder).parts
    }


def _measured() -> dict[str, str]:
    return {name: os.environ[name] for name in MEASURING if name in os.environ}


def _obey_modes() -> None:
    for capability in _OVERRIDES:
        _C.prctl(_CAPABILITY_DROP, capability, 0, 0, 0)


def _keeps_secrets(output: str, environment: Mapping[str, str]) -> None:
    for name in (TELEGRAM, TOTP, *MODEL):
        secret = environment.get(name)
        assert not secret or secret not in output, f"{name} was shown"


async def _read(stream: asyncio.StreamReader, lines: list[str]) -> None:
    while line := await stream.readline():
        lines.append(line.decode())


async def _take_down(made: LegioProcess) -> None:
    """End it gently, then what is left of its session by force: no scene leaves a process behind."""
    if made.process.returncode is None:
        made.signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10):
                await made.process.wait()
    for pid in _session(made.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    await made.process.wait()
    await asyncio.gather(*made.readers)


def _session(leader: int) -> list[int]:
    """The processes of a session, dead ones left out; each scene's Legio leads one of its own."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold anything; state, parent, group and session follow it.
            state, _, _, session, *_ = entry.read_text().rpartition(")")[2].split()
            if int(session) == leader and state not in "ZX":
                found.append(int(entry.parent.name))
    return found
