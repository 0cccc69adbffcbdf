"""One wheel, built from the tree, and one fresh environment that it is installed into."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tree import ROOT, files

LIMIT_SECONDS = 120


def run(
    command: list[str | Path], *, cwd: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run to its end, whatever the exit code, with exactly this environment."""
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment in which only Legio was installed; what it depends on is the running one's."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """A machine state on which nothing was set."""
        return {
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.folder / "home"),
            "LANG": "C.UTF-8",
        }

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, in its home."""
        program = self.folder / "bin" / command[0]
        return run([program, *command[1:]], cwd=self.folder / "home", environment=self.environment)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built of what belongs to the repository: no stray file of the working tree gets into it."""
    tree, made = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for path in (Path("pyproject.toml"), Path("README.md"), Path("LICENSE"), *files("legio")):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tree / path)
    # Where packages come from is the machine's business; nothing else of its environment is passed on.
    sources = {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "https_proxy"))
    }
    known = importlib.util.find_spec("hatchling") is not None
    built = run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", made),
            *(["--no-build-isolation"] if known else []),
            tree,
        ],
        cwd=tree,
        environment={"PATH": os.environ["PATH"], "HOME": str(made), **sources},
    )
    assert built.returncode == 0, built.stderr
    (path,) = made.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a fresh environment, as `pip install` would leave it, without downloading anything."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / "home").mkdir()
    venv.create(folder, with_pip=False, symlinks=True)
    (library,) = folder.glob("lib/python*/site-packages")
    # A path in a .pth file is searched, but the .pth files there are not read: so not the editable Legio.
    (library / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    python = folder / "bin" / "python"
    command: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "install"]
    done = run(
        [*command, "--quiet", "--no-deps", "--no-index", "--force-reinstall", wheel],
        cwd=folder,
        environment={"PATH": "/usr/bin:/bin", "HOME": str(folder / "home")},
    )
    assert done.returncode == 0, done.stderr
    return Installed(folder)
