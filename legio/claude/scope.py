"""What an allowance for the session covers: wide enough to be of use, and never wider than was shown.

A tool's further uses are covered as one, with two exceptions. A command line is a program of its own: what
it does is not known by its first word, so it is covered word for word, but for programs that can only read.
And a web page is covered by its host: what is fetched from another one may carry out what was read here.
"""

import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

READERS = frozenset(
    (
        "cat",
        "cut",
        "df",
        "diff",
        "du",
        "echo",
        "grep",
        "head",
        "ls",
        "pwd",
        "stat",
        "tail",
        "tr",
        "wc",
        "which",
    )
)
"""Programs that write no file and start no other, whatever their options (GNU coreutils, grep, diff)."""

_PLAIN = re.compile(r"[A-Za-z0-9_./=:,+@%*? '\"\[\]-]+")
"""A command of one program: nothing in it makes a shell write, substitute or start a second one."""

SHELL = "Bash"


def scope(tool: str, arguments: Mapping[str, object]) -> tuple[str, str]:
    """What tells one allowance from another, and what it covers, in words that follow "it covers"."""
    match tool:
        case "Bash" | "Monitor" | "PowerShell":
            return _command(tool, arguments)
        case "WebFetch":
            host = urlsplit(str(arguments.get("url", ""))).hostname or "nowhere"
            return f"{tool} {host}", f"every page of {host}"
        case "SandboxNetworkAccess":
            host = str(arguments.get("host", ""))
            return f"{tool} {host}", f"every connection of a command to {host}"
        case _:
            return tool, f"every use of {tool}"


def _command(tool: str, arguments: Mapping[str, object]) -> tuple[str, str]:
    command = str(arguments.get("command", ""))
    program = command.split(maxsplit=1)[0] if command.strip() else ""
    rest = {
        key: value for key, value in arguments.items() if key not in ("command", "description", "timeout")
    }
    if tool == SHELL and program in READERS and _PLAIN.fullmatch(command) and not rest:
        return f"{tool} {program} …", f"every plain command of {program}, which only reads"
    exact = {key: value for key, value in arguments.items() if key != "description"}
    return f"{tool} {json.dumps(exact, sort_keys=True, default=str)}", "this very command, word for word"
