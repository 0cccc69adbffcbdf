from pathlib import Path

import pytest

from legio.config import Credential, Secrets, take
from legio.config.secrets import holds_secret, looks_secret, named_secret
from legio.errors import ConfigurationError

TOKEN = "123456789:" + "A" * 35


def problems(environ: dict[str, str]) -> tuple[str, ...]:
    with pytest.raises(ConfigurationError) as caught:
        take(environ)
    return tuple(str(problem) for problem in caught.value.problems)


def test_secrets_come_from_the_environment() -> None:
    secrets = take({"TELEGRAM_BOT_TOKEN": f" {TOKEN}\n", "ANTHROPIC_API_KEY": "key"})

    assert secrets == Secrets(TOKEN, Credential("ANTHROPIC_API_KEY", "key"))
    assert secrets.values() == (TOKEN, "key")


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"])
def test_secrets_come_from_files_that_the_environment_names(name: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("key\n")

    assert take({f"{name}_FILE": str(file)}) == Secrets(None, Credential(name, "key"))


def test_an_empty_variable_counts_as_unset() -> None:
    assert take({"TELEGRAM_BOT_TOKEN": "", "ANTHROPIC_API_KEY_FILE": ""}) == Secrets()
    assert Secrets().values() == ()


def test_neither_str_nor_repr_shows_a_secret() -> None:
    secrets = Secrets(TOKEN, Credential("ANTHROPIC_API_KEY", "the-key"))

    shown = f"{secrets} {secrets!r} {secrets.model_credential}"

    assert TOKEN not in shown
    assert "the-key" not in shown
    assert "ANTHROPIC_API_KEY" in shown


def test_nothing_that_a_child_process_would_obey_is_left() -> None:
    environ = {
        "TELEGRAM_BOT_TOKEN": TOKEN,
        "ANTHROPIC_API_KEY": "key",
        "ANTHROPIC_BASE_URL": "http://elsewhere",
        "ANTHROPIC_MODEL": "other",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "CLAUDE_CONFIG_DIR": "/elsewhere",
        "AWS_SECRET_ACCESS_KEY": "key",
        "GOOGLE_APPLICATION_CREDENTIALS": "/elsewhere",
        "LEGIO_MODEL": "opus",
        "LEGIO_TOTP_SECRET": "A" * 32,
        "HTTPS_PROXY": "http://proxy",
        "PATH": "/bin",
    }

    take(environ)

    assert environ == {"HTTPS_PROXY": "http://proxy", "PATH": "/bin"}


def test_the_environment_is_cleaned_also_when_a_secret_cannot_be_had() -> None:
    environ = {"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_BOT_TOKEN_FILE": "/x", "PATH": "/bin"}

    told = problems(environ)

    assert told == ("TELEGRAM_BOT_TOKEN: TELEGRAM_BOT_TOKEN_FILE is set as well. Unset one of the two.",)
    assert environ == {"PATH": "/bin"}


def test_all_that_is_wrong_with_the_secrets_is_told_at_once(tmp_path: Path) -> None:
    empty, binary, missing = tmp_path / "empty", tmp_path / "binary", tmp_path / "missing"
    empty.write_text(" \n")
    binary.write_bytes(b"\xff\xfe")

    told = problems(
        {
            "TELEGRAM_BOT_TOKEN_FILE": str(empty),
            "ANTHROPIC_API_KEY_FILE": str(binary),
            "ANTHROPIC_AUTH_TOKEN_FILE": str(missing),
            "CLAUDE_CODE_OAUTH_TOKEN": "two words",
        }
    )

    remedy = "Name a file that holds the secret alone."
    assert told == (
        f"TELEGRAM_BOT_TOKEN_FILE: {empty} is empty. {remedy}",
        f"ANTHROPIC_API_KEY_FILE: {binary} is no text file. {remedy}",
        f"ANTHROPIC_AUTH_TOKEN_FILE: {missing} cannot be read (No such file or directory). {remedy}",
        "CLAUDE_CODE_OAUTH_TOKEN: it holds space or control characters. Give the secret alone.",
    )


def test_two_model_credentials_are_one_too_many() -> None:
    told = problems({"ANTHROPIC_API_KEY": "key", "CLAUDE_CODE_OAUTH_TOKEN": "other"})

    names = "ANTHROPIC_API_KEY and CLAUDE_CODE_OAUTH_TOKEN"
    assert told == (f"{names}: more than one model credential is set. Unset all but one.",)


@pytest.mark.parametrize("text", [TOKEN, f" {TOKEN} ", "sk-ant-api03-x", "key: sk-ant-oat01-x"])
def test_a_secrets_shape_is_known(text: str) -> None:
    assert looks_secret(text)
    assert holds_secret(["harmless", {"deep": [text]}])


@pytest.mark.parametrize(
    "name", ["token", "bot-token", "TELEGRAM_BOT_TOKEN", "api_key", "apikey", "password"]
)
def test_a_secrets_name_is_known(name: str) -> None:
    assert named_secret(name)
    assert holds_secret({name: "x"})


@pytest.mark.parametrize("harmless", ["127.0.0.1:8443", "opus", "12:30", 7, None, {"max_context_tokens": 7}])
def test_what_is_no_secret_is_not_taken_for_one(harmless: object) -> None:
    assert not holds_secret(harmless)
    assert not named_secret("max_context_tokens")


# --- the secret of the authenticator ----------------------------------------------------------------------

SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.mark.parametrize("given", [SEED, SEED.lower(), f"{SEED}\n", "GEZDGNBVGY3TQOJQGEZDGNBVGY======"])
def test_the_secret_of_an_authenticator_is_taken_however_it_was_typed(given: str) -> None:
    environ = {"LEGIO_TOTP_SECRET": given, "PATH": "/bin"}
    secrets = take(environ)
    assert secrets.totp_secret == given.strip().rstrip("=").upper()
    assert secrets.values() == (secrets.totp_secret,)
    assert str(secrets.totp_secret) not in repr(secrets)
    assert environ == {"PATH": "/bin"}


def test_it_may_lie_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "totp").write_text(f"{SEED}\n")
    assert take({"LEGIO_TOTP_SECRET_FILE": str(tmp_path / "totp")}).totp_secret == SEED


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("not base 32", "it holds space or control characters. Give the secret alone."),
        ("ABC018", "it is not written in base 32 (A to Z and 2 to 7). Make one with `legio totp`."),
        ("ÄBCDEFGH", "it is not written in base 32 (A to Z and 2 to 7). Make one with `legio totp`."),
        ("A" * 16, "it has 80 bits, and 128 at least are safe. Make one with `legio totp`."),
    ],
)
def test_a_secret_that_is_none_is_told_and_not_shown(given: str, reason: str) -> None:
    assert problems({"LEGIO_TOTP_SECRET": given}) == (f"LEGIO_TOTP_SECRET: {reason}",)


def test_its_address_is_a_secret_wherever_it_stands() -> None:
    assert looks_secret(f"otpauth://totp/Legio:Caesar?secret={SEED}&issuer=Legio")
