"""The commands that tend the camp: set up, examined, saved, put back, written out."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import TypeVar

from legio import doctor as physician
from legio import logs, scribe
from legio.backup import Source, make, place
from legio.backup import export as exporting
from legio.backup import restore as put_back
from legio.castra import Castra
from legio.cli.command import EXPECTED, configured
from legio.embedded import DATABASE
from legio.praetorium.copying import nuntii
from legio.templates import init as write

T = TypeVar("T")


def init(arguments: argparse.Namespace) -> int:
    """Write what a new Legio starts with."""
    written = write(arguments.directory)
    for path in written:
        print(f"wrote {path}")
    print(
        "Nothing was left to write." if not written else "Next: `legio doctor`, or `legio local` to try it."
    )
    return 0


def doctor(arguments: argparse.Namespace) -> int:
    """Print what was found; exit code 1 if anything is not well."""
    config, secrets = configured(arguments)
    logs.configure(json=False, level="error", stream=sys.stderr, secrets=secrets.values())
    findings = _run(physician.examine(config, secrets))
    for finding in findings:
        print(finding)
    return 0 if all(finding.well for finding in findings) else EXPECTED


def backup(arguments: argparse.Namespace) -> int:
    """Write a backup."""
    config, secrets = configured(arguments)
    now = datetime.now(UTC)
    source = Source(Castra(config.castra), config.file, secrets.values(), workspaces=arguments.workspaces)
    archive = make(source, place(arguments.target or config.backup.folder, now), now=now)
    for each in archive.left_out:
        print(f"left out {each}")
    print(f"wrote {archive.path} ({archive.size:,} bytes)")
    return 0


def restore(arguments: argparse.Namespace) -> int:
    """Put a backup in the castra's place."""
    done = put_back(arguments.archive, arguments.config, os.environ, now=datetime.now(UTC))
    if done.aside is not None:
        print(f"moved the castra that was there to {done.aside}")
    print(f"restored {done.castra} as it was at {done.taken}")
    print(f"{'wrote' if done.configured else 'left as it is:'} {arguments.config}")
    return 0


def export(arguments: argparse.Namespace) -> int:
    """Write out the record."""
    config, _ = configured(arguments)
    castra = Castra(config.castra)
    record = castra.root / DATABASE if arguments.local else castra.database
    lines = map(scribe.FORMS[arguments.format](UTC), nuntii(record))
    if arguments.output is not None:
        exporting.write(lines, arguments.output)
        return 0
    try:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has seen enough; Python would complain once more at the exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _run(work: Awaitable[T]) -> T:
    """What `work` returns; a SIGINT ends it at once, by `KeyboardInterrupt`.

    asyncio's own handler does not wake a loop that is just going to wait: that would hear it seconds later.
    """

    async def interruptible() -> T:
        task = asyncio.ensure_future(work)
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
        return await task

    try:
        return asyncio.run(interruptible())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
