"""Everything that Legio needs, checked one by one: what is well, what is not, and what to do.

It looks and makes nothing: no castra, and no praetorium in one that was mistyped.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from legio.bot.connection import Line, bot_name
from legio.castra import Castra
from legio.claude.cli import cli_version
from legio.clock import SystemClock
from legio.config import Config, Secrets
from legio.errors import LegioError
from legio.memoria.store import FileMemoria
from legio.nuntius import LEGATUS
from legio.ports import Kind
from legio.praetorium import open_praetorium
from legio.roster import Roster


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    well: bool
    said: str

    def __str__(self) -> str:
        return f"{'✅' if self.well else '❌'} {self.what}: {self.said}"


async def examine(
    config: Config, secrets: Secrets, *, version: Callable[[], Awaitable[str]] = cli_version
) -> list[Finding]:
    """Look at everything; never raises for what is wrong with it. `version` asks the CLI for its own."""
    return [finding async for finding in _findings(config, secrets, version)]


async def _findings(
    config: Config, secrets: Secrets, version: Callable[[], Awaitable[str]]
) -> AsyncIterator[Finding]:
    yield Finding("configuration", well=True, said="read.")
    yield await _token(config, secrets)
    yield _credential(config, secrets)
    yield await _cli(version)
    castra = Castra(config.castra)
    for finding in _castra(castra):
        yield finding
    yield await _praetorium(castra)


async def _token(config: Config, secrets: Secrets) -> Finding:
    if secrets.telegram_bot_token is None or config.telegram.caesar_id is None:
        missing = "TELEGRAM_BOT_TOKEN" if secrets.telegram_bot_token is None else "[telegram] caesar_id"
        return Finding("Telegram", well=False, said=f"{missing} is not set; only `legio local` will work.")
    line = Line(config.telegram, secrets.telegram_bot_token, SystemClock())
    try:
        return Finding("Telegram", well=True, said=f"the bot is @{await bot_name(line)}.")
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
