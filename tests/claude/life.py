"""Whether a process still lives: one that nobody has reaped yet does not."""

import time

import psutil


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(pid: int, *, within: float = 5.0) -> bool:
    """Whether it ends within that many seconds."""
    deadline = time.monotonic() + within
    while lives(pid) and time.monotonic() < deadline:
        time.sleep(0.005)
    return not lives(pid)
