"""Whatever is wrong at the start or on the disk: what is wrong, where, what to do, and nothing is lost."""

import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.praetorium.migrations import MIGRATIONS
from legio.templates import init
from tests.processes import NOWHERE, Station, contents, legio, refused, station
from tests.scenes import scene

CONFIG = "legio: legio.toml: the configuration cannot be used:\n"


def told(*problems: str, where: str = "") -> str:
    """The whole output of a refusal because of the configuration."""
    head = f"legio: {where}: the configuration cannot be used:\n" if where else CONFIG
    return head + "".join(f"  - {problem}\n" for problem in problems)


def without(*names: str) -> dict[str, str]:
    return {name: value for name, value in NOWHERE.items() if name not in names}


async def refused_with(folder: Path, toml: str) -> str:
    """What `legio run` says of a configuration file, which it leaves as it is."""
    init(folder)
    (folder / "legio.toml").write_text(toml)
    before = contents(folder)
    said = await refused("run", folder=folder, environment=NOWHERE)
    assert contents(folder) == before
    return said


# --- the environment -----------------------------------------------------------------------------------


@scene
async def test_without_token_and_credential_both_are_named(tmp_path: Path) -> None:
    init(tmp_path)
    before = contents(tmp_path)
    said = await refused("run", folder=tmp_path)
    assert said == told(
        "TELEGRAM_BOT_TOKEN: it is not set. Ask @BotFather for a token and set the variable, or try"
        " `legio local` without one.",
        "ANTHROPIC_API_KEY: there is no model credential. Set it, or ANTHROPIC_AUTH_TOKEN or"
        " CLAUDE_CODE_OAUTH_TOKEN, or [claude] base_url.",
        where="legio run",
    )
    assert contents(tmp_path) == before


@scene
async def test_no_token(tmp_path: Path) -> None:
    init(tmp_path)
    said = await refused("run", folder=tmp_path, environment=without("TELEGRAM_BOT_TOKEN"))
    assert said == told(
        "TELEGRAM_BOT_TOKEN: it is not set. Ask @BotFather for a token and set the variable, or try"
        " `legio local` without one.",
        where="legio run",
    )


@scene
async def test_no_credential(tmp_path: Path) -> None:
    init(tmp_path)
    said = await refused(
        "run", folder=tmp_path, environment=without("ANTHROPIC_API_KEY", "LEGIO_CLAUDE_BASE_URL")
    )
    assert said == told(
        "ANTHROPIC_API_KEY: there is no model credential. Set it, or ANTHROPIC_AUTH_TOKEN or"
        " CLAUDE_CODE_OAUTH_TOKEN, or [claude] base_url.",
        where="legio run",
    )


@pytest.mark.parametrize("token", ["123456:" + "B" * 35, "hello"])
@scene
async def test_a_wrong_token(tmp_path: Path, token: str) -> None:
    async with station(tmp_path) as made:
        said = await refused(
            "run", folder=tmp_path, environment=made.environment | {"TELEGRAM_BOT_TOKEN": token}
        )
    assert said == told(
        "TELEGRAM_BOT_TOKEN: Telegram does not know this token. Ask @BotFather for the bot's token and set"
        " the variable to it.",
        where="environment",
    )


@scene
async def test_a_wrong_credential_is_told_in_the_chat_and_legio_runs_on(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        made.model.key = "another key"
        async with made.run(LEGIO_CLAUDE_MAX_RETRIES="0"):
            (told,) = await made.telegram.wait_for(lambda: made.telegram.answers)
            (failed,) = await made.ask("ave")
            made.model.key = None
            (answer,) = await made.ask("echo here again")
    words = "the model did not accept the credential. Renew it, then restart Legio."
    assert (told.text.plain, failed) == (f"⛔ Legio: {words}", f"⛔ legatus: {words}")
    assert answer.endswith("here again")


@scene
async def test_a_secret_file_that_is_not_there(tmp_path: Path) -> None:
    init(tmp_path)
    environment = without("TELEGRAM_BOT_TOKEN") | {"TELEGRAM_BOT_TOKEN_FILE": "/nowhere/token"}
    said = await refused("run", folder=tmp_path, environment=environment)
    assert said == told(
        "TELEGRAM_BOT_TOKEN_FILE: /nowhere/token cannot be read (No such file or directory). Name a file"
        " that holds the secret alone."
    )


@scene
async def test_a_secret_of_an_authenticator_that_is_none(tmp_path: Path) -> None:
    init(tmp_path)
    environment = NOWHERE | {"LEGIO_TOTP_SECRET": "hello-caesar"}
    said = await refused("run", folder=tmp_path, environment=environment)
    assert said == told(
        "LEGIO_TOTP_SECRET: it is not written in base 32 (A to Z and 2 to 7). Make one with `legio totp`."
    )


@scene
async def test_a_secret_of_an_authenticator_in_the_file(tmp_path: Path) -> None:
    assert await refused_with(tmp_path, f'totp_secret = "{"A" * 32}"\n') == told(
        "totp_secret: a secret does not belong here. Move it to the environment: LEGIO_TOTP_SECRET."
    )


# --- legio.toml ----------------------------------------------------------------------------------------


@scene
async def test_no_configuration_file(tmp_path: Path) -> None:
    said = await refused("run", "--config", "mine.toml", folder=tmp_path, environment=NOWHERE)
    assert said == told(
        "mine.toml: there is no such file. Write one with `legio init`, or name yours with --config.",
        where="mine.toml",
    )
    assert contents(tmp_path) == {}


@scene
async def test_broken_toml(tmp_path: Path) -> None:
    assert await refused_with(tmp_path, "model = \n") == told(
        "legio.toml: this is not TOML: Invalid value (at line 1, column 9). Mend the line; texts stand in"
        " quotes."
    )


@scene
async def test_an_unknown_key(tmp_path: Path) -> None:
    assert await refused_with(tmp_path, "[telegram]\ncesar_id = 7\n") == told(
        "[telegram] cesar_id: there is no such key. Did you mean 'caesar_id'?"
    )


@scene
async def test_a_value_of_the_wrong_type(tmp_path: Path) -> None:
    assert await refused_with(tmp_path, 'history_window = "many"\n') == told(
        'history_window: found the text "many". Expected is a whole number from 0 to 500.'
    )


@scene
async def test_everything_that_is_wrong_with_the_file_is_told_at_once(tmp_path: Path) -> None:
    assert await refused_with(tmp_path, "modle = 1\nmax_centuriones = true\n[claud]\n") == told(
        "modle: there is no such key. Did you mean 'model'?",
        "max_centuriones: found true. Expected is a whole number from 1 to 100.",
        "claud: there is no such key. Did you mean 'claude'?",
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::"])
@scene
async def test_a_console_that_others_can_reach_without_tls_in_front(tmp_path: Path, host: str) -> None:
    assert await refused_with(
        tmp_path, f'[console]\nhost = "{host}"\npublic_url = "https://camp.ch"\n'
    ) == told(
        f"[console] host: others can reach {host}, and nothing says that TLS stands in front. Put a proxy"
        " that speaks TLS in front and set tls_in_front = true, or take host away."
    )


@scene
async def test_a_console_that_others_can_reach_by_no_name(tmp_path: Path) -> None:
    assert await refused_with(tmp_path, '[console]\nhost = "0.0.0.0"\ntls_in_front = true\n') == told(
        "[console] public_url: it is not set, and at 0.0.0.0 the page would answer to no name from outside."
        " Set it to the https address that your proxy serves."
    )


@scene
async def test_a_public_address_in_the_clear(tmp_path: Path) -> None:
    assert await refused_with(tmp_path, '[console]\npublic_url = "http://camp.example.org"\n') == told(
        '[console] public_url: found the text "http://camp.example.org", which is not encrypted. Use an'
        " address with https."
    )


@scene
async def test_a_secret_in_the_file_is_refused_and_not_shown(tmp_path: Path) -> None:
    token = "123456:" + "C" * 35
    said = await refused_with(tmp_path, f'[telegram]\ntoken = "{token}"\n')
    assert said == told(
        "[telegram] token: a secret does not belong here. Move it to the environment: TELEGRAM_BOT_TOKEN or"
        " ANTHROPIC_API_KEY."
    )


@scene
async def test_a_variable_that_no_key_has(tmp_path: Path) -> None:
    init(tmp_path)
    said = await refused("run", folder=tmp_path, environment=NOWHERE | {"LEGIO_MODLE": "x"})
    assert said == told("LEGIO_MODLE: there is no such variable. Did you mean 'LEGIO_MODEL'?")


# --- the castra ----------------------------------------------------------------------------------------

DESERTED = (
    "legio: {castra}: there is no Legatus in this castra: legatus/prompt.md is missing. Write a castra with"
    " `legio init`, or name yours by `castra` in legio.toml.\n"
)


@pytest.mark.parametrize("command", ["run", "local"])
@scene
async def test_an_empty_castra_is_refused_and_nothing_is_put_into_it(tmp_path: Path, command: str) -> None:
    castra = tmp_path / "castra"
    castra.mkdir()
    (tmp_path / "legio.toml").write_text("[local]\nport = 0\n")
    said = await refused(command, folder=tmp_path, environment=NOWHERE)
    assert said == DESERTED.format(castra=castra)
    assert list(castra.iterdir()) == []


@scene
async def test_a_castra_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "castra").write_text("mine")
    (tmp_path / "legio.toml").touch()
    said = await refused("run", folder=tmp_path, environment=NOWHERE)
    assert said == DESERTED.format(castra=tmp_path / "castra")
    assert contents(tmp_path) == {"castra": b"mine", "legio.toml": b""}


@pytest.mark.skipif(sys.platform != "linux", reason="root is made mortal by a call of Linux")
@scene
async def test_an_unwritable_castra(tmp_path: Path) -> None:
    init(tmp_path)
    castra = tmp_path / "castra"
    before = contents(tmp_path)
    castra.chmod(0o500)
    try:
        said = await refused("run", folder=tmp_path, environment=NOWHERE, mortal=True)
    finally:
        castra.chmod(0o700)
    assert said == (
        f"legio: {castra}/legio.lock: the castra cannot be locked (Permission denied). Make its folder"
        " writable for the user who runs Legio, on a disk that knows file locks.\n"
    )
    assert contents(tmp_path) == before


@scene
async def test_a_castra_in_which_an_agent_cannot_have_his_folders_is_told_in_the_chat(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        (made.castra.root / "homes").write_text("in the way")
        async with made.run():
            (failed,) = await made.ask("ave")
            (status,) = await made.ask("/status")
    assert failed == (
        "⛔ legatus: it cannot be started as it is set up.\n"
        f"{made.castra.home('legatus')}: this folder cannot be made (Not a directory). Give Legio the right"
        " to write in the castra."
    )
    assert "1 received = 0 answered + 1 failed" in status
    assert (made.castra.root / "homes").read_text() == "in the way"


BROKEN = "---\ndescription: doubts\nmodle: opus\n---\nYou doubt.\n"


@scene
async def test_broken_front_matter_of_a_centurio_is_told_in_the_chat_beside_the_others_answers(
    tmp_path: Path,
) -> None:
    async with station(tmp_path) as made:
        made.castra.prompt("brutus").write_text(BROKEN)
        async with made.run():
            said = await made.ask("@brutus @pullo echo here", answers=2)
            (listed,) = await made.ask("/list")
    failed = next(text for text in said if text.startswith("⛔"))
    complaint = (
        "centuriones/brutus/prompt.md: this prompt cannot be used:\n"
        "  - line 3: there is no key 'modle'. Did you mean 'model'?"
    )
    assert failed == f"⛔ brutus: it cannot be started as it is set up.\n{complaint}"
    assert any(text.endswith("here") for text in said)
    assert f"⚠️ {complaint}" in listed
    assert made.castra.prompt("brutus").read_text() == BROKEN


@scene
async def test_broken_front_matter_of_the_legatus_is_told_in_the_chat_and_centuriones_answer(
    tmp_path: Path,
) -> None:
    async with station(tmp_path) as made:
        made.castra.prompt("legatus").write_text("You are the Legatus.\n")
        async with made.run():
            (failed,) = await made.ask("ave")
            (answer,) = await made.ask("@pullo echo here")
    assert failed == (
        "⛔ legatus: it cannot be started as it is set up.\n"
        "legatus/prompt.md: this prompt cannot be used:\n"
        "  - there is no front matter. Begin with a line ---, then 'description: …'."
    )
    assert answer.endswith("here")
    assert made.castra.prompt("legatus").read_text() == "You are the Legatus.\n"


@scene
async def test_broken_xml_is_told_and_skipped_and_never_overwritten(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        (made.castra.edicta / "broken.xml").write_text("<edictum>half")
        async with made.run():
            (published,) = await made.ask("/edict Speak plainly.")
            (listed,) = await made.ask("/edicta")
            (answer,) = await made.ask("echo here")
        prompt = made.model.requests[-1].system
    assert published.startswith("Edictum ")
    assert "⚠️ " in listed
    assert "broken.xml" in listed
    assert answer.endswith("here")
    assert "Speak plainly." in prompt
    assert (made.castra.edicta / "broken.xml").read_text() == "<edictum>half"


# --- the praetorium ------------------------------------------------------------------------------------


async def refused_over(castra: Castra) -> str:
    """What `legio run` says of a praetorium, which it leaves as it is."""
    before = castra.database.read_bytes()
    said = await refused("run", folder=castra.root.parent, environment=NOWHERE)
    assert castra.database.read_bytes() == before
    return said


def standing(folder: Path) -> Castra:
    init(folder)
    return Castra(folder / "castra")


@scene
async def test_a_corrupt_praetorium(tmp_path: Path) -> None:
    castra = standing(tmp_path)
    castra.database.write_bytes(b"SQLite format 3\0" + b"no longer" * 1000)
    assert await refused_over(castra) == (
        f"legio: {castra.database}: this is not a praetorium, or it is damaged (file is not a database)."
        " Restore a backup or move the file away; it was not changed.\n"
    )


@scene
async def test_a_praetorium_newer_than_the_program(tmp_path: Path) -> None:
    castra = standing(tmp_path)
    async with station(tmp_path) as made, made.run():
        pass
    with closing(sqlite3.connect(castra.database)) as connection:
        connection.execute("PRAGMA user_version = 999")
    assert await refused_over(castra) == (
        f"legio: {castra.database}: this praetorium has schema 999, and this Legio knows no schema after"
        f" {MIGRATIONS[-1].number}. Install the newer Legio again, or restore an older backup; it was not"
        " changed.\n"
    )


@scene
async def test_a_database_of_another_program(tmp_path: Path) -> None:
    castra = standing(tmp_path)
    with closing(sqlite3.connect(castra.database)) as connection:
        connection.execute("CREATE TABLE letters (text)")
    assert await refused_over(castra) == (
        f"legio: {castra.database}: this is the database of another program; it was not changed. Move it"
        " away, or name another castra.\n"
    )


@scene
async def test_a_second_legio_is_refused_with_the_pid_of_the_first_which_goes_on(tmp_path: Path) -> None:
    async with station(tmp_path) as made, made.run() as first:
        said = await refused("run", folder=tmp_path, environment=made.environment)
        (answer,) = await made.ask("echo still here")
        assert said == (
            f"legio: {made.castra.lock}: another Legio (pid {first.pid}) works in this castra. Stop it first,"
            " or give this one a castra of its own.\n"
        )
    assert answer.endswith("still here")


# --- the ports of this machine ---------------------------------------------------------------------------


@scene
async def test_a_port_for_the_page_that_is_taken(tmp_path: Path) -> None:
    init(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = await refused("local", folder=tmp_path, environment={"LEGIO_LOCAL_PORT": str(port)})
    assert said == (
        f"legio: [local] port: port {port} cannot be used (Address already in use). End the program that uses"
        " it, or choose another port; 0 takes a free one.\n"
    )


def webhook(made: Station, url: str, port: int) -> dict[str, str]:
    return made.environment | {
        "LEGIO_TELEGRAM_WEBHOOK_URL": url,
        "LEGIO_TELEGRAM_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
    }


@scene
async def test_a_port_for_the_webhook_that_is_taken(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            environment = webhook(made, f"http://127.0.0.1:{port}/hook", port)
            said = await refused("run", folder=tmp_path, environment=environment)
    assert said.splitlines()[-1] == (
        f"legio: [telegram] webhook_listen: 127.0.0.1:{port} cannot be listened on (address already in use)."
        " End the program that uses it, or choose another host or port of this machine."
    )


@scene
async def test_a_webhook_that_telegram_refuses(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        environment = webhook(made, "https://legio.example.org/hook", 8443)
        said = await refused("run", folder=tmp_path, environment=environment)
    assert said.splitlines()[-1] == (
        "legio: [telegram] webhook_url: Telegram refused it: Bad webhook: this server delivers over http to"
        " this machine only. Correct it."
    )


# --- the command line -------------------------------------------------------------------------------------


@scene
async def test_a_command_that_there_is_not(tmp_path: Path) -> None:
    said = await refused("march", folder=tmp_path)
    assert said.startswith("legio: argument command: invalid choice: 'march'")
    assert said.endswith("`legio --help` shows how it is written.\n")


@scene
async def test_init_over_what_stands_there_changes_nothing(tmp_path: Path) -> None:
    init(tmp_path)
    (tmp_path / "legio.toml").write_text("# mine\n")
    before = contents(tmp_path)
    async with legio("init", folder=tmp_path) as process:
        assert await process.ends() == 0
    assert process.output == "Nothing was left to write.\n"
    assert contents(tmp_path) == before
