import asyncio
import signal
import subprocess
import threading
import zipfile
from pathlib import Path

from legio import __version__
from tests.entering import entered
from tests.packaging.conftest import Installed
from tests.tree import ROOT, files


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_ships_the_whole_package_and_nothing_else(wheel: Path) -> None:
    shipped = {name for name in names(wheel) if ".dist-info/" not in name}
    assert shipped == {path.as_posix() for path in files("legio")}


def test_it_ships_prompts_pages_and_the_mark_of_types(wheel: Path) -> None:
    assert {
        "legio/templates/castra/legatus/prompt.md",
        "legio/templates/castra/centuriones/vorenus/prompt.md",
        "legio/templates/blueprint.md",
        "legio/console/static/index.html",
        "legio/local/static/room.js",
        "legio/py.typed",
    } <= names(wheel)


def test_it_ships_the_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (licence,) = (name for name in archive.namelist() if name.endswith("/LICENSE"))
        assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()


def test_what_runs_is_the_wheel_and_not_the_tree(installed: Installed) -> None:
    found = installed.run("python", "-c", "import legio; print(legio.__file__)")
    assert Path(found.stdout.strip()).is_relative_to(installed.folder)


def test_it_tells_its_version(installed: Installed) -> None:
    told = installed.run("legio", "--version")
    assert (told.returncode, told.stdout) == (0, f"legio {__version__}\n")


def test_it_makes_a_castra_and_examines_it(installed: Installed) -> None:
    made = installed.run("legio", "init", "fresh")
    examined = installed.run("legio", "doctor", "--config", "fresh/legio.toml")

    assert made.returncode == 0, made.stderr
    assert (installed.folder / "home/fresh/castra/legatus/prompt.md").is_file()
    signs = {line.split(":")[0] for line in examined.stdout.splitlines()}
    # What this machine has of a sandbox and of a zone is told, and is no fault.
    assert {sign for sign in signs if not sign.endswith((" sandbox", " time zone"))} == {
        "✅ configuration",
        "❌ Telegram",
        "❌ model",
        "✅ claude CLI",
        "✅ castra",
        "✅ console",
        "✅ praetorium",
    }
    assert examined.returncode == 1


async def looked_at(announcement: str) -> dict[str, int]:
    """How everything that the page loads is answered."""
    async with entered(announcement) as page:
        rooms = (await page.get("/rooms")).json()["rooms"]
        loaded = [each[part] for each in rooms for part in ("script", "style") if each[part]]
        paths = ("/", "/login", "/static/shell.js", "/static/login.js", *loaded)
        return {path: (await page.get(path)).status_code for path in paths}


def test_its_page_can_be_looked_at(installed: Installed) -> None:
    installed.run("legio", "init", "shown")
    environment = {**installed.environment, "LEGIO_LOCAL_PORT": "0"}
    with subprocess.Popen(
        [installed.folder / "bin" / "legio", "local", "--config", "shown/legio.toml"],
        cwd=installed.folder / "home",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = threading.Timer(30, process.kill)
        deadline.start()
        try:
            assert process.stdout is not None
            announcement = process.stdout.readline()
            assert "://" in announcement, process.communicate()
            answers = asyncio.run(looked_at(announcement))
        finally:
            deadline.cancel()
            process.send_signal(signal.SIGTERM)
            _, complaints = process.communicate(timeout=20)

    assert set(answers.values()) == {200}, (answers, complaints)
    assert process.returncode == 0


def test_it_also_runs_as_a_module(installed: Installed) -> None:
    told = installed.run("python", "-m", "legio", "--version")
    assert told.stdout == f"legio {__version__}\n"
