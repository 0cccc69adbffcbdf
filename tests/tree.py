"""The tree as it lies in the repository, for tests that hold files to each other."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MADE = {".venv", ".git", "build", "dist", "__pycache__"}
"""Folders that tools make; those beginning with a dot are left out anyway, but for `.ci`."""


def files(folder: str = ".") -> list[Path]:
    """The project's own files below a folder, relative to the root: those that git knows or would take up."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", folder]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        found = [Path(name) for name in listed.split("\0") if name]
    else:
        found = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*")]
        found = [path for path in found if not MADE.intersection(path.parts)]
    return sorted(path for path in found if (ROOT / path).is_file())
