import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import psutil

from legio.claude.processes import MachineProcesses, mark, resident
from legio.ports import Process
from tests.claude.life import gone, lives

# Starts a child in the same group, says so, and waits.
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
print(child.pid, flush=True)
time.sleep(60)
"""


@contextmanager
def family() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that leads its group, and the pid of its child."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, process_group=0
    ) as leader:
        assert leader.stdout is not None
        try:
            yield leader, int(leader.stdout.readline())
        finally:
            with suppress(ProcessLookupError):
                os.killpg(leader.pid, signal.SIGKILL)


def test_a_process_ends_with_all_that_it_has_started() -> None:
    with family() as (leader, child):
        assert MachineProcesses().end(mark(leader.pid)) is True
        leader.wait(5)
        assert gone(child)


def test_an_innocent_process_of_the_same_pid_is_left_alone() -> None:
    with family() as (leader, child):
        earlier = replace(mark(leader.pid), started=mark(leader.pid).started - 100)
        assert MachineProcesses().end(earlier) is False
        assert lives(leader.pid)
        assert lives(child)


def test_what_a_dead_process_has_started_is_ended_by_its_group() -> None:
    with family() as (leader, child):
        known = mark(leader.pid)
        leader.kill()
        leader.wait(5)
        assert lives(child)
        assert MachineProcesses().end(known) is True
        assert gone(child)


def test_ending_what_never_was_does_nothing() -> None:
    assert MachineProcesses().end(Process(2**22 + 1, 1.0)) is False


def test_memory_is_that_of_the_process_and_all_it_has_started() -> None:
    processes = MachineProcesses()
    with family() as (leader, child):
        while (alone := psutil.Process(child).memory_info().rss / 1024 / 1024) < 2:
            time.sleep(0.01)  # it has only just been forked
        assert asyncio.run(processes.megabytes(mark(leader.pid))) > alone > 1
        MachineProcesses().end(mark(leader.pid))
        leader.wait(5)
        assert asyncio.run(processes.megabytes(Process(leader.pid, 1.0))) == 0.0


def test_a_pid_that_nobody_has_makes_a_mark_that_fits_nobody() -> None:
    assert mark(2**22 + 1) == Process(2**22 + 1, 0.0)


def test_memory_is_told_apart_into_our_own_and_that_of_what_we_started() -> None:
    own_before, started_before = resident()
    hungry = "import time; held = b'x' * 64_000_000; print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", hungry], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        own, started = resident()
        child.kill()
    assert started - started_before > 64_000_000
    assert abs(own - own_before) < 20_000_000
