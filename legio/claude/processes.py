"""The processes behind agents, as the machine sees them: the only importer of `psutil`."""

import asyncio
import contextlib
import os
import signal

import psutil

from legio.ports import Process

TOLERANCE_SECONDS = 0.05
"""How exactly a start time comes back: the kernel counts in hundredths."""
MEGABYTE = 1024 * 1024


class MachineProcesses:
    """The `Processes` port on this machine."""

    def end(self, process: Process) -> bool:
        """Kill it with its group and its descendants; an innocent process of the same pid is left alone."""
        found = _living(process)
        if found is None:
            # A group outlives its leader, and no new process gets its number while it does.
            return not psutil.pid_exists(process.pid) and _kill_group(process.pid)
        doomed = (found, *_descendants(found))
        _kill_group(process.pid)
        for one in doomed:  # what left the group is still a descendant
            with contextlib.suppress(psutil.Error):
                one.kill()
        return True

    async def megabytes(self, process: Process) -> float:
        """Resident memory of the process and its descendants; all that lives is looked through, aside."""
        return await asyncio.to_thread(_megabytes, process)


def mark(pid: int) -> Process:
    """The running process of that pid, so that it can be told from a later one; pid 0 is nobody."""
    try:
        return Process(pid, psutil.Process(pid).create_time())
    except psutil.Error:
        return Process(pid, 0.0)


def resident() -> tuple[int, int]:
    """Resident bytes of this process, and of all that it has started."""
    own = psutil.Process()
    started = 0
    for one in _descendants(own):
        with contextlib.suppress(psutil.Error):
            started += one.memory_info().rss
    return own.memory_info().rss, started


def _megabytes(process: Process) -> float:
    found = _living(process)
    if found is None:
        return 0.0
    total = 0
    for one in (found, *_descendants(found)):
        with contextlib.suppress(psutil.Error):
            total += one.memory_info().rss
    return total / MEGABYTE


def _living(process: Process) -> psutil.Process | None:
    try:
        found = psutil.Process(process.pid)
        if abs(found.create_time() - process.started) > TOLERANCE_SECONDS:
            return None
        return found if found.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _kill_group(group: int) -> bool:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True
