import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from legio.claude.cli import LAUNCHER, cli_version, launcher, program
from tests.scenes import scene


def test_the_launcher_is_written_once_and_mended_when_it_differs(tmp_path: Path) -> None:
    path = launcher(tmp_path)
    written = path.stat().st_mtime_ns
    assert launcher(tmp_path).stat().st_mtime_ns == written
    assert os.access(path, os.X_OK)
    path.write_text("#!/bin/sh\nexit 1\n")
    assert program() in launcher(tmp_path).read_text()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux binds a child to its parent")
def test_the_launcher_of_a_legio_that_is_gone_starts_nothing(tmp_path: Path) -> None:
    # A shell asked for its parent's pid, found init's when Legio died at that moment, and the CLI lived on.
    write = "import pathlib, sys; from legio.claude.cli import launcher; launcher(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", write, str(tmp_path)], check=True, timeout=20)
    orphan = subprocess.run([tmp_path / LAUNCHER, "--version"], check=False, timeout=20, capture_output=True)
    assert (orphan.returncode, orphan.stdout) == (-signal.SIGKILL, b"")


@pytest.mark.cli
@scene
async def test_the_cli_says_its_version() -> None:
    assert "Claude Code" in await cli_version()
