"""What the doctor finds: each thing well, each thing ill with its remedy, and nothing touched."""

import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.clock import SystemClock
from legio.config import (
    ClaudeConfig,
    Config,
    ConsoleConfig,
    Credential,
    Secrets,
    ServerConfig,
    TelegramConfig,
)
from legio.doctor import Finding, examine
from legio.errors import AgentError
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from legio.muster import SET_IT
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


async def found(config: Config, secrets: Secrets = SECRETS, *, lacking: str = "") -> dict[str, list[Finding]]:
    """The findings by what was looked at."""
    by_name: dict[str, list[Finding]] = {}
    for finding in await examine(config, secrets, version=well_version, lacks=lambda: lacking):
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
    async with bot_api_server(BotApiState(token=TOKEN, owner_id=77)) as url:
        config = replace(config, telegram=replace(NOBODY, base_url=f"{url}/bot"), timezone="Europe/Zurich")
        findings = await examine(config, SECRETS, version=well_version, lacks=lambda: "")
    assert [str(finding) for finding in findings] == [
        "✅ configuration: read.",
        "✅ time zone: Europe/Zurich, as configured.",
        "✅ Telegram: the bot is @legio_bot.",
        "✅ model: ANTHROPIC_API_KEY is set.",
        "✅ claude CLI: 2.0 (Claude Code)",
        f"✅ castra: {castra.root}: 3 centuriones.",
        "✅ sandbox: commands of agents run in one.",
        "✅ console: http://127.0.0.1:8471, for this machine alone.",
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


@pytest.mark.parametrize(
    ("console", "said"),
    [
        (ConsoleConfig(port=0), "⚠️ console: not served: [console] port is 0."),
        (
            ConsoleConfig(host="0.0.0.0", public_url="https://camp.example.org", tls_in_front=True),
            "✅ console: https://camp.example.org, which your proxy has to pass on to http://127.0.0.1:8471.",
        ),
        (
            ConsoleConfig(host="192.0.2.1", public_url="https://camp.example.org", tls_in_front=True),
            "❌ console: 192.0.2.1 cannot be listened on (",
        ),
    ],
)
@scene
async def test_where_the_console_is_found(tmp_path: Path, console: ConsoleConfig, said: str) -> None:
    config, _ = camp(tmp_path)
    (finding,) = (await found(replace(config, console=console)))["console"]
    assert str(finding).startswith(said)


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


@scene
async def test_a_telegram_that_is_not_set_up(tmp_path: Path) -> None:
    config, _ = camp(tmp_path)
    (finding,) = (await found(config, Secrets()))["Telegram"]
    assert str(finding) == "❌ Telegram: TELEGRAM_BOT_TOKEN is not set; only `legio local` will work."


@scene
async def test_a_bot_that_obeys_nobody_yet(tmp_path: Path) -> None:
    config, _ = camp(tmp_path)
    async with bot_api_server(BotApiState(token=TOKEN, owner_id=77)) as url:
        config = replace(config, telegram=TelegramConfig(base_url=f"{url}/bot"))
        (finding,) = (await found(config))["Telegram"]
    assert str(finding) == (
        "✅ Telegram: the bot is @legio_bot. Nobody is Caesar yet: `legio run` shows a code."
    )


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
    async with bot_api_server(BotApiState(token="123456:" + "B" * 35, owner_id=77)) as url:
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


# --- what agents may do ---------------------------------------------------------------------------------


def grant(castra: Castra, agent: str, line: str) -> None:
    prompt = castra.prompt(agent)
    prompt.write_text(prompt.read_text().replace("---\n", f"---\n{line}\n", 1))


@scene
async def test_a_machine_without_a_sandbox(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    lacking = "bwrap is not installed."
    (unused,) = (await found(config, lacking=lacking))["sandbox"]
    grant(castra, "pullo", "ask: [Bash]")
    (refused,) = (await found(config, lacking=lacking))["sandbox"]
    config = replace(config, claude=ClaudeConfig(unsandboxed_bash=True))
    (allowed,) = (await found(config, lacking=lacking))["sandbox"]
    remedy = "Install bubblewrap and socat, or set unsandboxed_bash = true under [claude] in legio.toml."
    assert str(unused) == f"⚠️ sandbox: bwrap is not installed. Bash is refused. {remedy}"
    assert str(refused) == (
        f"❌ sandbox: bwrap is not installed. Bash is refused. It is granted to: pullo. {remedy}"
    )
    assert str(allowed) == (
        "⚠️ sandbox: bwrap is not installed. Commands of agents run without one, with all your rights:"
        " unsandboxed_bash is set."
    )


@scene
async def test_servers_and_grants_that_lead_nowhere(tmp_path: Path) -> None:
    config, castra = camp(tmp_path)
    servers = {
        "here": ServerConfig(command=sys.executable),
        "gone": ServerConfig(command="no-such-program"),
        "far": ServerConfig(url="https://example.org/mcp"),
        "poor": ServerConfig(url="https://example.org/mcp", headers={"Authorization": "HUB_TOKEN"}),
    }
    grant(castra, "pullo", "tools: [Raed, mcp__here]")
    grant(castra, "vorenus", "ask: [mcp__heer]")
    findings = await found(replace(config, mcp=servers))
    said = [
        str(each)
        for what in ("[mcp.here]", "[mcp.gone]", "[mcp.far]", "[mcp.poor]", "grants")
        for each in findings[what]
    ]
    assert said == [
        f"✅ [mcp.here]: {sys.executable}.",
        "❌ [mcp.gone]: there is no program no-such-program. Install it, or put its path right.",
        "✅ [mcp.far]: https://example.org/mcp.",
        f"❌ [mcp.poor]: HUB_TOKEN is not set, and the server needs it. {SET_IT}",
        "❌ grants: vorenus: there is no MCP server 'heer' in legio.toml. Did you mean 'here'?",
        "⚠️ grants: pullo: the CLI is not known to have a tool 'Raed'. Did you mean 'Read'?",
    ]


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


@scene
async def test_the_command_that_hears_voices_is_looked_for(tmp_path: Path) -> None:
    config, _ = camp(tmp_path)
    there = replace(config, telegram=replace(NOBODY, transcribe=f"{sys.executable} ear.py {{file}}"))
    nowhere = replace(config, telegram=replace(NOBODY, transcribe="/no/whisper {file}"))
    assert "voice" not in await found(config)
    (heard,), (unheard,) = (await found(there))["voice"], (await found(nowhere))["voice"]
    assert str(heard) == f"✅ voice: heard by {sys.executable}."
    assert not unheard.well
    assert "'/no/whisper' is not found" in unheard.said
