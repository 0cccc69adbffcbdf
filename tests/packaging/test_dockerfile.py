import re
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath

import pytest

from legio.cli import COMMANDS
from legio.config import Config
from tests.packaging.dockerfile import of, one, stages
from tests.tree import ROOT

HADOLINT = Path(sys.executable).with_name("hadolint")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def copied() -> set[str]:
    """What is taken from the repository."""
    taken: set[str] = set()
    for number in range(len(stages())):
        for instruction in of("COPY", stage=number):
            if not instruction.words.startswith("--from"):
                *sources, _ = instruction.words.split()
                taken.update(sources)
    return taken


def test_the_linter_has_nothing_to_say() -> None:
    linted = subprocess.run(
        [HADOLINT, "Dockerfile"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (linted.returncode, linted.stdout + linted.stderr) == (0, "")


def test_what_is_copied_exists_and_is_all_that_the_builder_is_shown() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    assert patterns[0] == "*"
    assert {pattern[1:] for pattern in patterns if pattern.startswith("!")} == copied()
    assert [path for path in copied() if not (ROOT / path).exists()] == []


def test_the_build_has_all_that_the_project_names() -> None:
    named = {PROJECT["readme"], *PROJECT["license-files"], "pyproject.toml", "legio"}
    assert copied() == named | {".ci/requirements.lock"}


def test_dependencies_are_those_of_the_lock_by_their_hashes() -> None:
    installs = [step.words for step in of("RUN", stage=0) if "pip install" in step.words]
    assert "--require-hashes" in installs[0]
    assert installs[0].endswith("-r requirements.lock")
    assert all("--no-deps" in words for words in installs[1:])


def test_both_stages_stand_on_the_same_slim_python_that_legio_runs_on() -> None:
    bases = {instruction.words.split()[0] for stage in stages() for instruction in stage[:1]}
    (base,) = bases
    version = re.fullmatch(r"python:3\.(\d+)-slim-\w+", base)
    assert version
    assert PROJECT["requires-python"] == f">=3.{version[1]}"


def test_nothing_that_builds_or_installs_is_left() -> None:
    steps = " ".join(step.words for step in of("RUN"))
    assert not re.search(r"apt-get|build-essential|gcc|pip install", steps)
    assert "pip uninstall --yes wheel setuptools pip" in steps
    assert of("RUN", stage=0)[-1].words.endswith("pip uninstall --yes setuptools pip")
    assert [instruction.words for instruction in of("COPY")] == ["--from=build /opt/legio /opt/legio"]


def test_it_runs_as_a_user_of_a_fixed_id_who_owns_what_he_writes() -> None:
    name, _, uid = one("ARG").words.partition("=")
    (made,) = (step.words for step in of("RUN") if "useradd" in step.words)
    assert int(uid) > 0
    assert one("USER").words == f"${name}"
    assert f'--uid "${name}"' in made
    assert (
        f"install --directory --owner=legio --group=legio --mode=0700 {' '.join(one('VOLUME').listed)}"
        in made
    )


def test_all_that_legio_writes_is_a_volume_and_the_configuration_lies_beside_it() -> None:
    home = PurePosixPath(one("CMD").listed[-1]).parent
    assert one("VOLUME").listed == [str(home / Config().castra), str(home / Config().backup.folder)]
    assert one("WORKDIR").words == str(home)


@pytest.mark.parametrize(("instruction", "first"), [("CMD", 0), ("HEALTHCHECK", 1)])
def test_what_it_runs_is_a_command_of_legios(instruction: str, first: int) -> None:
    name, flag, _ = one(instruction).listed[first:]
    assert (name, flag) in {(command.name, "--config") for command in COMMANDS if command.configured}


def test_the_entry_point_is_the_script_that_the_project_installs() -> None:
    (name,) = one("ENTRYPOINT").listed
    assert name in PROJECT["scripts"]
    assert one("HEALTHCHECK").listed[0] == name


def test_the_signal_to_stop_is_one_that_legio_hears() -> None:
    assert one("STOPSIGNAL").words == "SIGTERM"
