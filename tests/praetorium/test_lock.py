import os
import subprocess
import sys
from pathlib import Path

import pytest

from legio.errors import PraetoriumBusy, PraetoriumError
from legio.praetorium.lock import TRIES, hold, holder

HOLD_UNTIL_TOLD = """
import sys
from pathlib import Path
from legio.praetorium.lock import hold
with hold(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
DEADLINE_SECONDS = 10.0


def holding(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_UNTIL_TOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def ended(process: subprocess.Popen[str]) -> None:
    with process:
        process.kill()
        process.wait(DEADLINE_SECONDS)


def no_sleep(seconds: float) -> None:
    assert seconds > 0


def test_the_holder_is_known_while_the_lock_is_held(tmp_path: Path) -> None:
    path = tmp_path / "castra" / "legio.lock"
    assert holder(path) is None

    with hold(path):
        assert path.read_text() == f"{os.getpid()}\n"
        assert holder(path) == os.getpid()

    assert holder(path) is None


def test_a_second_legio_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "legio.lock"
    first = holding(path)

    with pytest.raises(PraetoriumBusy) as caught, hold(path, sleep=no_sleep):
        pytest.fail("it was held twice")
    seen = holder(path)
    ended(first)

    assert f"(pid {first.pid})" in caught.value.what
    assert caught.value.where == str(path)
    assert "Stop it first" in caught.value.remedy
    assert seen == first.pid


def test_the_lock_of_a_killed_process_is_free_though_its_file_remains(tmp_path: Path) -> None:
    path = tmp_path / "legio.lock"
    first = holding(path)
    ended(first)
    assert path.read_text() == f"{first.pid}\n"
    assert holder(path) is None

    with hold(path):
        assert holder(path) == os.getpid()


def test_a_stale_file_is_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "legio.lock"
    path.write_text("99999999999999999999999999999999999999999999 and more")

    with hold(path):
        assert path.read_text() == f"{os.getpid()}\n"


def test_the_lock_is_free_after_an_error_inside(tmp_path: Path) -> None:
    path = tmp_path / "legio.lock"
    with pytest.raises(RuntimeError, match="inside"), hold(path):
        raise RuntimeError("inside")

    with hold(path):
        pass


def test_a_lock_held_without_a_pid_is_refused_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "legio.lock"
    with hold(path):
        path.write_text("")
        with pytest.raises(PraetoriumBusy, match="another Legio works"), hold(path, sleep=no_sleep):
            pytest.fail("it was held twice")
        assert holder(path) is None


def test_a_health_check_at_the_same_moment_does_not_keep_legio_from_starting(tmp_path: Path) -> None:
    path = tmp_path / "legio.lock"
    first = holding(path)
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == TRIES - 1:
            ended(first)

    with hold(path, sleep=sleep):
        assert holder(path) == os.getpid()
    assert len(waits) == TRIES - 1


def test_a_child_process_does_not_keep_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "legio.lock"
    with hold(path):
        child = subprocess.Popen(
            [sys.executable, "-c", "print('started', flush=True); input()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            close_fds=False,
        )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"started\n"
        found = holder(path)
        child.kill()

    assert found is None


def test_a_lock_that_cannot_be_made_is_refused_with_its_remedy(tmp_path: Path) -> None:
    castra = tmp_path / "castra"
    castra.write_text("no folder")

    with pytest.raises(PraetoriumError, match="cannot be locked") as caught, hold(castra / "legio.lock"):
        pytest.fail("it was held")

    assert caught.value.remedy


def test_a_place_that_knows_no_locks_is_refused() -> None:
    with pytest.raises(PraetoriumError, match="cannot be locked"), hold(Path("/dev/full")):
        pytest.fail("it was held")
