"""Everything that Legio needs, checked one by one: what is well, what is not, and what to do.

It looks and makes nothing: no castra, and no praetorium in one that was mistyped.
"""

import asyncio
import contextlib
import os
import shlex
import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass

from legio.bot.connection import Line, bot_name
from legio.castra import Castra
from legio.claude import sandbox
from legio.claude.cli import cli_version
from legio.clock import SystemClock
from legio.config import Config, ConsoleConfig, Secrets
from legio.errors import LegioError
from legio.loopback import base_url
from legio.memoria.store import FileMemoria
from legio.muster import SET_IT, unset
from legio.nuntius import LEGATUS
from legio.ports import Kind
from legio.praetorium import open_praetorium
from legio.roster import Profile, Roster, grants
from legio.zones import home


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; what is doubtful is well, and still worth a look."""

    what: str
    well: bool
    said: str
    doubtful: bool = False

    def __str__(self) -> str:
        mark = "❌" if not self.well else "⚠️" if self.doubtful else "✅"
        return f"{mark} {self.what}: {self.said}"


async def examine(
    config: Config,
    secrets: Secrets,
    *,
    version: Callable[[], Awaitable[str]] = cli_version,
    lacks: Callable[[], str] = sandbox.missing,
) -> list[Finding]:
    """Look at everything; never raises for what is wrong with it.

    `version` asks the CLI for its own, `lacks` this machine why it cannot run commands in a sandbox.
    """
    return [finding async for finding in _findings(config, secrets, version, lacks)]


async def _findings(
    config: Config,
    secrets: Secrets,
    version: Callable[[], Awaitable[str]],
    lacks: Callable[[], str],
) -> AsyncIterator[Finding]:
    yield Finding("configuration", well=True, said="read.")
    yield Finding("time zone", well=True, said=home(config.timezone).found)
    yield await _token(config, secrets)
    yield _credential(config, secrets)
    yield await _cli(version)
    castra = Castra(config.castra)
    for finding in _castra(castra):
        yield finding
    yield _sandbox(config, Roster(castra), await asyncio.to_thread(lacks))
    for finding in (*_ear(config), *_servers(config, secrets), *_grants(config, Roster(castra))):
        yield finding
    yield _console(config.console)
    yield await _praetorium(castra)


def _ear(config: Config) -> Iterator[Finding]:
    """The command that hears voice messages, if one is named."""
    if config.telegram.transcribe is not None:
        program = shlex.split(config.telegram.transcribe)[0]
        found = shutil.which(program)
        advice = f"'{program}' is not found. Install it, or name its whole path in [telegram] transcribe."
        yield Finding("voice", well=found is not None, said=f"heard by {found}." if found else advice)


async def _token(config: Config, secrets: Secrets) -> Finding:
    if secrets.telegram_bot_token is None:
        said = "TELEGRAM_BOT_TOKEN is not set; only `legio local` will work."
        return Finding("Telegram", well=False, said=said)
    line = Line(config.telegram, secrets.telegram_bot_token, SystemClock())
    unpaired = "" if config.telegram.caesar_id else " Nobody is Caesar yet: `legio run` shows a code."
    try:
        return Finding("Telegram", well=True, said=f"the bot is @{await bot_name(line)}.{unpaired}")
    except LegioError as error:
        return Finding("Telegram", well=False, said=str(error))


def _credential(config: Config, secrets: Secrets) -> Finding:
    if secrets.model_credential is not None:
        return Finding("model", well=True, said=f"{secrets.model_credential.variable} is set.")
    if config.claude.base_url is not None:
        return Finding("model", well=True, said=f"{config.claude.base_url}, without a credential.")
    return Finding(
        "model", well=False, said="no credential is set; `legio local` will answer with a scripted recruit."
    )


async def _cli(version: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding("claude CLI", well=True, said=await version())
    except LegioError as error:
        return Finding("claude CLI", well=False, said=str(error))


def _castra(castra: Castra) -> list[Finding]:
    roster, memoria = Roster(castra), FileMemoria(castra, SystemClock())
    broken = [*roster.broken(), *memoria.list(Kind.EDICTUM).broken, *memoria.list(Kind.ACTUM).broken]
    for name in (LEGATUS, *roster.names()):
        broken += memoria.list(Kind.COMMENTARIUM, name).broken
    return [_ground(castra, roster), *(Finding("castra", well=False, said=each) for each in broken)]


def _ground(castra: Castra, roster: Roster) -> Finding:
    try:
        roster.profile(LEGATUS)
    except LegioError as error:
        return Finding("castra", well=False, said=f"{castra.root}: {error}")
    if not os.access(castra.root, os.W_OK | os.X_OK):
        return Finding("castra", well=False, said=f"{castra.root}: Legio may not write here. Let it.")
    return Finding("castra", well=True, said=f"{castra.root}: {len(roster.names())} centuriones.")


def _sandbox(config: Config, roster: Roster, lacking: str) -> Finding:
    """Whether commands of agents are kept in their workspace; a fault only where somebody would run one."""
    if not lacking:
        return Finding("sandbox", well=True, said="commands of agents run in one.")
    if config.claude.unsandboxed_bash:
        said = f"{lacking} Commands of agents run without one, with all your rights: unsandboxed_bash is set."
        return Finding("sandbox", well=True, said=said, doubtful=True)
    runners = [
        profile.name for profile in _profiles(roster) if sandbox.BASH in (*profile.tools, *profile.asks)
    ]
    concerned = f" It is granted to: {', '.join(runners)}." if runners else ""
    said = f"{lacking} {sandbox.BASH} is refused.{concerned} {sandbox.HINT}"
    return Finding("sandbox", well=not runners, said=said, doubtful=True)


def _servers(config: Config, secrets: Secrets) -> Iterator[Finding]:
    """Whether each configured server has what it needs; nothing is started, and no address asked."""
    for name, server in config.mcp.items():
        what = f"[mcp.{name}]"
        if lacking := unset(server, secrets.of_servers):
            yield Finding(what, well=False, said=f"{lacking} {SET_IT}")
        elif server.url:
            yield Finding(what, well=True, said=f"{server.url}.")
        elif found := shutil.which(server.command):
            yield Finding(what, well=True, said=f"{found}.")
        else:
            said = f"there is no program {server.command}. Install it, or put its path right."
            yield Finding(what, well=False, said=said)


def _grants(config: Config, roster: Roster) -> Iterator[Finding]:
    for profile in _profiles(roster):
        try:
            grants.servers(profile, config.mcp)
        except LegioError as error:
            yield Finding("grants", well=False, said=str(error))
    for word in roster.doubts():
        yield Finding("grants", well=True, said=word, doubtful=True)


def _console(console: ConsoleConfig) -> Finding:
    """Where the console is found; that others reach it through TLS alone was asked for when it was read."""
    if not console.port:
        return Finding("console", well=True, said="not served: [console] port is 0.", doubtful=True)
    with socket.socket(socket.AF_INET6 if ":" in console.host else socket.AF_INET) as probe:
        try:
            probe.bind((console.host, 0))
        except OSError as error:
            said = f"{console.host} cannot be listened on ({error.strerror}). Put [console] host right."
            return Finding("console", well=False, said=said)
    here = base_url(console.host, console.port)
    if console.public_url is None:
        return Finding("console", well=True, said=f"{here}, for this machine alone.")
    return Finding(
        "console", well=True, said=f"{console.public_url}, which your proxy has to pass on to {here}."
    )


def _profiles(roster: Roster) -> Iterator[Profile]:
    with contextlib.suppress(LegioError):  # that his prompt is broken is a finding of its own
        yield roster.profile(LEGATUS)
    yield from roster.centuriones()


async def _praetorium(castra: Castra) -> Finding:
    if not os.access(castra.database, os.F_OK):
        return Finding("praetorium", well=True, said="there is none yet; it is made at the first start.")
    try:
        async with open_praetorium(castra.database, SystemClock()) as praetorium:
            wrong = await praetorium.check()
            tally = await praetorium.turns.tally()
    except LegioError as error:
        return Finding("praetorium", well=False, said=str(error))
    if wrong:
        return Finding("praetorium", well=False, said=" ".join(wrong))
    return Finding("praetorium", well=True, said=f"sound; {tally.received} turns, {tally.pending} pending.")
