import os
from pathlib import Path

import pytest

from legio.config import Address, BackupConfig, Config, Credential, Secrets, TelegramConfig, load, read
from legio.errors import ConfigurationError

TOKEN = "123456789:" + "A" * 35


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "legio.toml"


def problems(path: Path, text: str | bytes = "", environ: dict[str, str] | None = None) -> list[str]:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(ConfigurationError) as caught:
        load(path, environ or {})
    assert caught.value.where == str(path)
    return [str(problem) for problem in caught.value.problems]


def test_an_empty_file_means_the_defaults(path: Path) -> None:
    path.touch()

    assert load(path, {}) == Config(
        castra=path.parent / "castra", backup=BackupConfig(folder=path.parent / "backups")
    )


def test_it_is_known_which_file_was_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.touch()
    monkeypatch.chdir(path.parent)

    assert load(Path("legio.toml"), {}).file == path


def test_every_table_is_read(path: Path) -> None:
    path.write_text(
        """
        castra = "camp"
        model = "opus"
        session_idle_timeout_minutes = 0.5
        [telegram]
        caesar_id = 42
        webhook_url = "https://example.org/hook/"
        webhook_listen = "0.0.0.0:8080"
        [claude]
        base_url = "http://127.0.0.1:9/"
        turn_seconds = 60
        [local]
        port = 0
        [visibility]
        replies = "caesar"
        [backup]
        keep = 0
        folder = "~/kept"
        """
    )

    config = load(path, {})

    assert (config.castra, config.model) == (path.parent / "camp", "opus")
    assert config.session_idle_timeout_minutes == 0.5
    assert config.telegram == TelegramConfig(
        caesar_id=42, webhook_url="https://example.org/hook", webhook_listen=Address("0.0.0.0", 8080)
    )
    assert (config.claude.base_url, config.claude.turn_seconds) == ("http://127.0.0.1:9", 60)
    assert (config.local.port, config.visibility.replies) == (0, "caesar")
    assert config.backup == BackupConfig(keep=0, hour=3, folder=Path.home() / "kept")


def test_a_byte_order_mark_does_no_harm(path: Path) -> None:
    path.write_bytes(b'\xef\xbb\xbfmodel = "opus"\r\n')

    assert load(path, {}).model == "opus"


def test_an_absolute_castra_stays_where_it_is(path: Path, tmp_path: Path) -> None:
    path.write_text(f'castra = "{tmp_path}/elsewhere/../camp"')

    assert load(path, {}).castra == tmp_path / "camp"


def test_a_relative_castra_starts_from_the_files_folder(path: Path) -> None:
    path.touch()

    config = load(Path(os.path.relpath(path)), {"LEGIO_CASTRA": "../camp"})

    assert config.castra == path.parent.parent / "camp"


def test_the_file_server_follows_the_bot_api_server(path: Path) -> None:
    path.touch()

    telegram = load(path, {"LEGIO_TELEGRAM_BASE_URL": "http://127.0.0.1:9"}).telegram

    assert telegram.base_url == "http://127.0.0.1:9/bot"
    assert telegram.base_file_url == "http://127.0.0.1:9/file/bot"


def test_the_file_server_may_be_another(path: Path) -> None:
    path.write_text('[telegram]\nbase_url = "http://a"\nbase_file_url = "http://b/"')

    telegram = load(path, {}).telegram

    assert (telegram.base_url, telegram.base_file_url) == ("http://a/bot", "http://b/file/bot")


def test_the_environment_wins_over_the_file(path: Path) -> None:
    path.write_text('model = "opus"\n[telegram]\ncaesar_id = 1\n[claude]\nmax_retries = 1')
    environ = {
        "LEGIO_MODEL": "haiku",
        "LEGIO_TELEGRAM_CAESAR_ID": "42",
        "LEGIO_CLAUDE_MAX_RETRIES": "",
        "LEGIO_CLAUDE_STALL_SECONDS": "2.5",
        "LEGIO_TOTP_SECRET": "x",
        "PATH": "/bin",
    }

    config = load(path, environ)

    assert (config.model, config.telegram.caesar_id) == ("haiku", 42)
    assert (config.claude.max_retries, config.claude.stall_seconds) == (1, 2.5)
    assert len(environ) == 6


def test_all_problems_are_told_at_once_with_key_and_remedy(path: Path) -> None:
    told = problems(
        path,
        """
        modle = "opus"
        max_live_sessions = 1
        claude = 3
        caesar_id = 42
        port = 1
        model = [1]
        [telegram]
        caesar_id = "42"
        max_retries = 1
        history_window = 1
        [telegrm]
        x = 1
        [visibility]
        replies = "nobody"
        """,
        {"LEGIO_HISTORY_WINDOW": "many", "LEGIO_MODLE": "opus", "LEGIO_TELEGRAM_BOT_TOKEN": "x"},
    )

    assert told == [
        "modle: there is no such key. Did you mean 'model'?",
        "max_live_sessions: found the number 1. Expected is a whole number from 2 to 100.",
        "claude: found the number 3. It is a table: begin it with [claude].",
        "caesar_id: there is no such key. It belongs in [telegram].",
        "port: there is no such key. It belongs in [local] or in [console].",
        "model: found a list. Expected is a text of 1 to 200 characters on one line.",
        '[telegram] caesar_id: found the text "42". Write it without quotes: 42.',
        "[telegram] max_retries: there is no such key. It belongs in [claude].",
        "[telegram] history_window: there is no such key. It belongs before the first table.",
        "telegrm: there is no such key. Did you mean 'telegram'?",
        '[visibility] replies: found the text "nobody". Expected is one of "addressed", "caesar", "all".',
        'LEGIO_HISTORY_WINDOW: found the text "many". Expected is a whole number from 0 to 500.',
        "LEGIO_MODLE: there is no such variable. Did you mean 'LEGIO_MODEL'?",
        "LEGIO_TELEGRAM_BOT_TOKEN: there is no such variable. Did you mean 'TELEGRAM_BOT_TOKEN'?",
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f'[telegram]\ntoken = "{TOKEN}"', "[telegram] token"),
        ('TELEGRAM_BOT_TOKEN = "x"', "TELEGRAM_BOT_TOKEN"),
        ('[claude]\napi_key = "x"', "[claude] api_key"),
        (f'model = "{TOKEN}"', "model"),
        ('[anthropic]\nkey = "sk-ant-api03-abc"', "anthropic"),
        ('[secrets]\ntelegram_bot_token = "x"', "secrets"),
        ('things = [1, "sk-ant-api03-abc"]', "things"),
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_repeated(path: Path, text: str, place: str) -> None:
    told = problems(path, text)

    remedy = "Move it to the environment: TELEGRAM_BOT_TOKEN or ANTHROPIC_API_KEY."
    assert told == [f"{place}: a secret does not belong here. {remedy}"]


def test_a_secret_in_an_override_is_refused_and_not_repeated(path: Path) -> None:
    (told,) = problems(path, "", {"LEGIO_MODEL": TOKEN})

    assert told.startswith("LEGIO_MODEL: a secret does not belong here.")
    assert TOKEN not in told


def test_a_missing_file_is_told_together_with_wrong_overrides(path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(path, {"LEGIO_LOCAL_PORT": "high"})

    assert str(caught.value) == (
        f"{path}: the configuration cannot be used:\n"
        "  - legio.toml: there is no such file. Write one with `legio init`, or name yours with --config.\n"
        '  - LEGIO_LOCAL_PORT: found the text "high". Expected is a whole number from 0 to 65535.'
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("model = \n", "legio.toml: this is not TOML: Invalid value (at line 1, column 9)."),
        ("a = 1\na = 2\n", "legio.toml: this is not TOML: Cannot overwrite a value (at line 2, column 6)."),
        (b"model = '\xff'", "legio.toml: byte 9 is not UTF-8."),
        ("a = " + "[" * 100_000, "legio.toml: it is nested too deeply."),
    ],
)
def test_a_broken_file_is_told_with_its_place(path: Path, text: str | bytes, word: str) -> None:
    (told,) = problems(path, text)

    assert told.startswith(word)


def test_a_folder_in_the_files_place_is_told(path: Path) -> None:
    path.mkdir()

    with pytest.raises(ConfigurationError, match=r"it cannot be read \(Is a directory\)"):
        load(path, {})


def test_configuration_and_secrets_are_read_in_one_and_the_environment_is_cleaned(path: Path) -> None:
    path.touch()
    environ = {"LEGIO_MODEL": "opus", "TELEGRAM_BOT_TOKEN": TOKEN, "ANTHROPIC_API_KEY": "key", "PATH": "/bin"}

    config, secrets = read(path, environ)

    assert config.model == "opus"
    assert secrets == Secrets(TOKEN, Credential("ANTHROPIC_API_KEY", "key"))
    assert environ == {"PATH": "/bin"}


def test_the_problems_of_configuration_and_secrets_are_told_in_one(path: Path) -> None:
    path.write_text("modle = 1")
    environ = {"TELEGRAM_BOT_TOKEN": "two words"}

    with pytest.raises(ConfigurationError) as caught:
        read(path, environ)

    assert [problem.key for problem in caught.value.problems] == ["modle", "TELEGRAM_BOT_TOKEN"]
    assert caught.value.where == str(path)
    assert environ == {}
