import os
import subprocess
import sys
from pathlib import Path

import pytest

from legio.claude import launch
from tests.claude.life import gone

SLEEP = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]

# A parent that launches the sleeper as Legio launches the CLI, says its pid, and waits.
PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-I', '-S', sys.argv[1], str(os.getpid()), *sys.argv[2:]],
                         stdout=subprocess.PIPE, text=True)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
"""


def launched() -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PARENT, launch.__file__, *SLEEP]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_the_program_leads_a_group_of_its_own() -> None:
    with launched() as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert os.getpgid(pid) == pid
        parent.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux binds a child to its parent")
def test_the_program_does_not_outlive_a_parent_that_is_killed() -> None:
    with launched() as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
        assert gone(pid, within=1.0)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux binds a child to its parent")
def test_a_program_whose_parent_is_gone_already_does_not_start(tmp_path: Path) -> None:
    made = tmp_path / "made"
    stranger = os.getpid() + 1
    command = [sys.executable, "-I", "-S", launch.__file__, str(stranger), "/usr/bin/touch", str(made)]
    assert subprocess.run(command, check=False, timeout=10).returncode < 0
    assert not made.exists()
