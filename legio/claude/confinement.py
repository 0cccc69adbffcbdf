"""No file tool of an agent's leaves his workspace: asked before every call, and refused when in doubt.

A path counts as where it really leads: `..` and symbolic links are followed first. What a command in a shell
may touch is the sandbox's business.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

PATTERNS = {"Glob": ("pattern",), "Grep": ("glob",)}
"""Arguments that are patterns of paths, by tool: https://code.claude.com/docs/en/tools-reference"""

ENDINGS = ("path", "file", "dir", "directory")
"""How the names of arguments end that hold one path; a tool that is not known yet is held to them too."""


def outside(arguments: Mapping[str, object], *, tool: str, cwd: str, workspace: Path) -> str:
    """Why the call may not be made, for the model to read; "" where every path stays in the workspace.

    `cwd` is where relative paths start from.
    """
    for written in _paths(arguments):
        if not _within(written, Path(cwd or workspace), workspace):
            return f"{written!r} is outside of your workspace {workspace}. Work with files in it alone."
    for written in _patterns(tool, arguments):
        if _climbs(written):
            return f"the pattern {written!r} leaves your workspace. Use one that starts in it."
    return ""


def _paths(arguments: Mapping[str, object]) -> Iterator[str]:
    for name, value in arguments.items():
        if isinstance(value, str) and name.lower().replace("_", "").endswith(ENDINGS):
            yield value


def _patterns(tool: str, arguments: Mapping[str, object]) -> Iterator[str]:
    for name in PATTERNS.get(tool, ()):
        value = arguments.get(name)
        if isinstance(value, str):
            yield value


def _within(written: str, cwd: Path, workspace: Path) -> bool:
    if written.startswith("~"):
        return False  # the CLI puts a home folder in its place
    try:
        return (cwd / written).resolve().is_relative_to(workspace.resolve())
    except (OSError, ValueError, RuntimeError):  # a name too long, a NUL in it, links that go in circles
        return False


def _climbs(pattern: str) -> bool:
    return pattern.startswith(("/", "~", "!/")) or ".." in pattern
