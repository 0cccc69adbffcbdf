"""The CLI as a program: where it is, its version, and how it is started so that it never outlives us."""

import asyncio
import os
import shlex
import shutil
import sys
from pathlib import Path

import claude_agent_sdk

from legio.claude import launch
from legio.errors import AgentError

LAUNCHER = ".launch"
EXECUTABLE = 0o700


def program() -> str:
    """The CLI that the SDK's wheel bundles, or, in an installation without it, the one on the path."""
    bundled = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
    return str(bundled) if bundled.is_file() else (shutil.which("claude") or str(bundled))


def launcher(home: Path) -> Path:
    """A script in the agent's home that starts the CLI through `launch`; written anew when it changed.

    The SDK starts one program and passes it options; this is the program. It names this very process as the
    CLI's parent: a shell that asked for its own parent after Legio had died would bind the CLI to init.
    """
    command = [sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), program()]
    script = f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'
    path = home / LAUNCHER
    if not path.is_file() or path.read_text(encoding="utf-8") != script:
        draft = path.with_suffix(".draft")
        draft.write_text(script, encoding="utf-8")
        draft.chmod(EXECUTABLE)
        draft.replace(path)
    return path


async def cli_version() -> str:
    """The version of the CLI, by starting it; raises `AgentError` if it cannot be."""
    command = program()
    try:
        process = await asyncio.create_subprocess_exec(
            command, "--version", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        said, _ = await process.communicate()
    except OSError as error:
        raise AgentError(
            f"the claude CLI cannot be started ({error.strerror}).",
            where=command,
            remedy="Install claude-agent-sdk again: its wheel brings the CLI.",
        ) from error
    if process.returncode:
        raise AgentError(f"the claude CLI ended with {process.returncode}: {said.decode()}", where=command)
    return said.decode().strip()
