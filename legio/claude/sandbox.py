"""The sandbox that an agent's commands run in: the CLI's own, over bubblewrap on Linux and Seatbelt on macOS.

In it a command writes to the agent's workspace alone, reads nothing of what is closed, has no network, and
sees none of our secrets. Whether there is one is found out by trying, as bubblewrap may be there and not be
allowed to work, as in most containers.
"""

import functools
import shutil
import subprocess
import sys
from collections.abc import Collection
from typing import cast

from claude_agent_sdk import SandboxSettings

from legio.ports import Brief

PROGRAMS = ("bwrap", "socat")
"""What the CLI's sandbox needs on Linux (https://code.claude.com/docs/en/sandboxing)."""
BASH = "Bash"
SHELLS = (BASH, "Monitor", "PowerShell")
"""The tools that run commands; only the first of them is surely sandboxed by the CLI."""
TRY = ("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-all", "--proc", "/proc", "true")
TRY_SECONDS = 10.0

HINT = "Install bubblewrap and socat, or set unsandboxed_bash = true under [claude] in legio.toml."


@functools.cache
def missing(platform: str = sys.platform, path: str | None = None) -> str:
    """Why commands cannot be sandboxed on this machine, in words; "" where they can. Asked once."""
    if platform == "darwin":
        return ""
    if not platform.startswith("linux"):
        return f"there is no sandbox on {platform}."
    absent = [program for program in PROGRAMS if shutil.which(program, path=path) is None]
    if absent:
        return f"{' and '.join(absent)} is not installed."
    try:
        tried = subprocess.run(TRY, capture_output=True, timeout=TRY_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work ({error})."
    return "" if tried.returncode == 0 else f"bubblewrap does not work ({_last_line(tried.stderr)})."


def refusal(tool: str, brief: Brief, lacking: str) -> str:
    """Why a tool that runs commands may not be used, for the model to read; "" where it may."""
    if brief.unsandboxed or tool not in SHELLS:
        return ""
    if tool != BASH:
        return f"{tool} runs outside of the sandbox, and Caesar allowed no such thing. Use {BASH}."
    return f"no command can be run: {lacking} Tell Caesar: {HINT}" if lacking else ""


def settings(brief: Brief, lacking: str, secrets: Collection[str]) -> SandboxSettings | None:
    """The CLI's sandbox for this agent, None where he runs no commands, or runs them without one.

    `secrets` are variables that no command is shown. `filesystem`, `credentials` and `failIfUnavailable` are
    keys of the CLI's settings that the SDK passes on and does not list.
    """
    if lacking or BASH not in (*brief.grants, *brief.asks):
        return None
    workspace = str(brief.workspace.resolve())
    closed = {str(path.resolve()) for path in brief.closed if path.exists()} - {"/"}
    chosen: dict[str, object] = {
        "enabled": True,
        "failIfUnavailable": True,
        # A command is asked for like any other tool, and none steps out of the sandbox.
        "autoAllowBashIfSandboxed": False,
        "allowUnsandboxedCommands": False,
        "filesystem": {"denyRead": sorted(closed), "allowRead": [workspace], "allowWrite": [workspace]},
        "credentials": {"envVars": [{"name": name, "mode": "deny"} for name in sorted(secrets)]},
    }
    return cast("SandboxSettings", chosen)


def _last_line(said: bytes) -> str:
    return (said.decode(errors="replace").strip().splitlines() or ["it says nothing"])[-1]
