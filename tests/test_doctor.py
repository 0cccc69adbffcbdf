"""What the doctor finds: each thing well, each thing ill with its remedy, and nothing touched."""

import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.clock import SystemClock
from legio.config import ClaudeConfig, Config, Credential, Secrets, TelegramConfig
from legio.doctor import Finding, examine
from legio.errors import AgentError
from legio.local.botapi.state import BotApiState
from legio.local.page import chat_server
from legio.praetorium import open_praetorium
from legio.praetorium.lock import hold
from legio.templates import init
from tests.processes import contents, legio
from tests.scenes import scene

TOKEN = "123456:" + "A" * 35
NOBODY = TelegramConfig(caesar_id=77, base_url="http://127.0.0.1:9/bot")
SECRETS = Secrets(TOKEN, Credential("ANTHROPIC_API_KEY", "k"))


async def well_version() -> str:
    return "2.0 (Claude Code)"


async def found(config: Config, secrets: Secrets = SECRETS) -> dict[str, list[Finding]]:
    """The findings by what was looked at."""
    by_name: dict[str, list[Finding]] = {}
    for finding in await examine(config, secrets, version=well_version):
        by_name.setdefault(finding.what, []).append(finding)
    return by_name


def camp(folder: Path) -> tuple[Config, Castra]:
    """A castra as `legio init` makes it, far from Telegram."""
    init(folder)
    return Config(castra=folder / "castra", telegram=NOBODY), Castra(folder / "castra")


@scene
async def test_a_well_camp(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    async with open_praetorium(castra.database, SystemClock()):
        pass
    async with chat_server(BotApiState(token=TOKEN, owner_id=77)) as url:
        config = replace(config, telegram=replace(NOBODY, base_url=f"{url}/bot"))
        findings = await examine(config, SECRETS, version=well_version)
    assert [str(finding) for finding in findings] == [
        "✅ configuration: read.",
        "✅ Telegram: the bot is @legio_bot.",
        "✅ model: ANTHROPIC_API_KEY is set.",
        "✅ claude CLI: 2.0 (Claude Code)",
        f"✅ castra: {castra.root}: 3 centuriones.",
        "✅ praetorium: sound; 0 turns, 0 pending.",
    ]


@pytest.mark.cli
@scene
async def test_the_real_cli_says_its_version(tmp_path: Path) -> None:
    config, _ = camp(tmp_path)
    findings = await examine(config, Secrets())
    (finding,) = [finding for finding in findings if finding.what == "claude CLI"]
    assert finding.well
    assert "Claude Code" in finding.said


@scene
async def test_looking_makes_nothing(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    before = contents(tmp_path)
    (praetorium,) = (await found(config))["praetorium"]
    assert str(praetorium) == "✅ praetorium: there is none yet; it is made at the first start."
    nowhere = replace(config, castra=tmp_path / "nowhere")
    assert not (await found(nowhere))["castra"][0].well
    assert contents(tmp_path) == before
    assert not (tmp_path / "nowhere").exists()
    assert not castra.lock.exists()


# --- Telegram and the model -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("secrets", "telegram", "missing"),
    [
        (Secrets(), NOBODY, "TELEGRAM_BOT_TOKEN"),
        (SECRETS, TelegramConfig(), "[telegram] caesar_id"),
    ],
)
@scene
async def test_a_telegram_that_is_not_set_up(
    tmp_path: Path, secrets: Secrets, telegram: TelegramConfig, missing: str
) -> None:
    config, _ = camp(tmp_path)
    (finding,) = (await found(replace(config, telegram=telegram), secrets))["Telegram"]
    assert str(finding) == f"❌ Telegram: {missing} is not set; only `legio local` will work."


@scene
async def test_a_telegram_that_cannot_be_reached(tmp_path: Path) -> None:
    config, _ = camp(tmp_path)
    (finding,) = (await found(config))["Telegram"]
    assert not finding.well
    assert finding.said.startswith("Telegram could not be asked (")
    assert finding.said.endswith("). Look at the network and [telegram] base_url.")


@scene
async def test_a_token_that_telegram_does_not_know(tmp_path: Path) -> None:
    config, _ = camp(tmp_path)
    async with chat_server(BotApiState(token="123456:" + "B" * 35, owner_id=77)) as url:
        config = replace(config, telegram=replace(NOBODY, base_url=f"{url}/bot"))
        (finding,) = (await found(config))["Telegram"]
    assert not finding.well
    assert "Telegram does not know this token. Ask @BotFather" in finding.said
    assert TOKEN not in finding.said


@scene
async def test_a_model_without_a_credential(tmp_path: Path) -> None:
    config, _ = camp(tmp_path)
    (none,) = (await found(config, Secrets()))["model"]
    own = replace(config, claude=ClaudeConfig(base_url="http://127.0.0.1:11434"))
    (address,) = (await found(own, Secrets()))["model"]
    assert str(none) == "❌ model: no credential is set; `legio local` will answer with a scripted recruit."
    assert str(address) == "✅ model: http://127.0.0.1:11434, without a credential."


@scene
async def test_a_cli_that_does_not_start(tmp_path: Path) -> None:
    async def broken() -> str:
        raise AgentError("the claude CLI cannot be started.", where="claude")

    config, _ = camp(tmp_path)
    findings = await examine(config, Secrets(), version=broken)
    assert "❌ claude CLI: claude: the claude CLI cannot be started." in map(str, findings)


# --- the castra -----------------------------------------------------------------------------------------


@scene
async def test_a_castra_without_a_legatus(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    castra.prompt("legatus").unlink()
    (finding,) = (await found(config))["castra"]
    assert str(finding) == (
        f"❌ castra: {castra.root}: legatus/prompt.md: there is no such file. Write it: front matter, then"
        " the prompt."
    )


@pytest.mark.skipif(sys.platform != "linux", reason="root is made mortal by a call of Linux")
@scene
async def test_a_castra_that_may_not_be_written(tmp_path: Path) -> None:
    _, castra = camp(tmp_path)
    castra.root.chmod(0o500)
    try:
        async with legio("doctor", folder=tmp_path, mortal=True) as process:
            assert await process.ends() == 1
    finally:
        castra.root.chmod(0o700)
    assert f"❌ castra: {castra.root}: Legio may not write here. Let it.\n" in process.stdout


@scene
async def test_every_broken_file_is_named(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    castra.prompt("brutus").write_text("no front matter")
    for folder in (castra.edicta, castra.acta, castra.commentarii("legatus"), castra.commentarii("pullo")):
        folder.mkdir(exist_ok=True)
        (folder / "torn.xml").write_text("<edictum>half")
    ground, *broken = (await found(config))["castra"]
    assert ground.well
    assert [finding.said.partition(": ")[0] for finding in broken] == [
        "centuriones/brutus/prompt.md",
        "edicta/torn.xml",
        "acta/torn.xml",
        "legatus/commentarii/torn.xml",
        "centuriones/pullo/commentarii/torn.xml",
    ]
    assert not any(finding.well for finding in broken)


# --- the praetorium -------------------------------------------------------------------------------------


@scene
async def test_a_praetorium_that_cannot_be_opened(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    castra.database.write_bytes(b"no database" * 1000)
    (finding,) = (await found(config))["praetorium"]
    assert not finding.well
    assert finding.said.startswith(f"{castra.database}: this is not a praetorium, or it is damaged")


@scene
async def test_a_praetorium_whose_laws_are_broken(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    async with open_praetorium(castra.database, SystemClock()):
        pass
    with closing(sqlite3.connect(castra.database)) as connection, connection:
        connection.execute("INSERT INTO nuntius_audience VALUES ('pullo', 7)")
    (finding,) = (await found(config))["praetorium"]
    assert not finding.well
    assert "A row of 'nuntius_audience' points to a missing row of 'nuntii'." in finding.said


@scene
async def test_a_running_legio_can_be_examined(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    with hold(castra.lock):
        async with open_praetorium(castra.database, SystemClock()):
            (finding,) = (await found(config))["praetorium"]
    assert finding.well
