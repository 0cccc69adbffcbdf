import json
from pathlib import Path

import pytest

from legio.config import KEYS, Key
from legio.config.loading import load
from legio.config.rules import Wrong


def test_the_keys_defaults_and_variables_are_those_that_were_promised() -> None:
    assert {str(key): (key.default, key.variable) for key in KEYS} == {
        "castra": ("castra", "LEGIO_CASTRA"),
        "model": (None, "LEGIO_MODEL"),
        "timezone": (None, "LEGIO_TIMEZONE"),
        "history_window": (50, "LEGIO_HISTORY_WINDOW"),
        "session_idle_timeout_minutes": (30, "LEGIO_SESSION_IDLE_TIMEOUT_MINUTES"),
        "max_context_tokens": (150_000, "LEGIO_MAX_CONTEXT_TOKENS"),
        "max_centuriones": (10, "LEGIO_MAX_CENTURIONES"),
        "max_live_sessions": (8, "LEGIO_MAX_LIVE_SESSIONS"),
        "max_session_mb": (800, "LEGIO_MAX_SESSION_MB"),
        "[telegram] caesar_id": (None, "LEGIO_TELEGRAM_CAESAR_ID"),
        "[telegram] topics": (False, "LEGIO_TELEGRAM_TOPICS"),
        "[telegram] base_url": ("https://api.telegram.org/bot", "LEGIO_TELEGRAM_BASE_URL"),
        "[telegram] base_file_url": ("https://api.telegram.org/file/bot", "LEGIO_TELEGRAM_BASE_FILE_URL"),
        "[telegram] webhook_url": (None, "LEGIO_TELEGRAM_WEBHOOK_URL"),
        "[telegram] webhook_listen": ("127.0.0.1:8443", "LEGIO_TELEGRAM_WEBHOOK_LISTEN"),
        "[telegram] streaming": ("edit", "LEGIO_TELEGRAM_STREAMING"),
        "[telegram] gather_seconds": (1.0, "LEGIO_TELEGRAM_GATHER_SECONDS"),
        "[telegram] transcribe": (None, "LEGIO_TELEGRAM_TRANSCRIBE"),
        "[attachments] max_mb": (20, "LEGIO_ATTACHMENTS_MAX_MB"),
        "[attachments] types": ("*/*", "LEGIO_ATTACHMENTS_TYPES"),
        "[claude] base_url": (None, "LEGIO_CLAUDE_BASE_URL"),
        "[claude] max_retries": (3, "LEGIO_CLAUDE_MAX_RETRIES"),
        "[claude] first_byte_seconds": (60, "LEGIO_CLAUDE_FIRST_BYTE_SECONDS"),
        "[claude] stall_seconds": (120, "LEGIO_CLAUDE_STALL_SECONDS"),
        "[claude] turn_seconds": (1800, "LEGIO_CLAUDE_TURN_SECONDS"),
        "[claude] unsandboxed_bash": (False, "LEGIO_CLAUDE_UNSANDBOXED_BASH"),
        "[local] port": (8470, "LEGIO_LOCAL_PORT"),
        "[console] port": (8471, "LEGIO_CONSOLE_PORT"),
        "[console] host": ("127.0.0.1", "LEGIO_CONSOLE_HOST"),
        "[console] public_url": (None, "LEGIO_CONSOLE_PUBLIC_URL"),
        "[console] tls_in_front": (False, "LEGIO_CONSOLE_TLS_IN_FRONT"),
        "[visibility] replies": ("addressed", "LEGIO_VISIBILITY_REPLIES"),
        "[backup] keep": (7, "LEGIO_BACKUP_KEEP"),
        "[backup] hour": (3, "LEGIO_BACKUP_HOUR"),
        "[backup] folder": ("backups", "LEGIO_BACKUP_FOLDER"),
        "[budget] day_usd": (None, "LEGIO_BUDGET_DAY_USD"),
        "[budget] agent_day_usd": (None, "LEGIO_BUDGET_AGENT_DAY_USD"),
        "[budget] cheaper_model": ("haiku", "LEGIO_BUDGET_CHEAPER_MODEL"),
    }


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_each_key_keeps_its_own_rule_and_says_what_it_is_for(key: Key) -> None:
    assert key.default is None or not isinstance(key.rule.read(key.default), Wrong)
    assert key.type == key.rule.name
    assert key.help.endswith(".")
    assert "\n" not in key.help


@pytest.mark.parametrize("key", [key for key in KEYS if key.default is not None], ids=str)
def test_a_file_that_says_a_default_changes_nothing(key: Key, tmp_path: Path) -> None:
    path, plain = tmp_path / "legio.toml", tmp_path / "plain.toml"
    plain.touch()
    value = json.dumps(key.default, ensure_ascii=False)
    head = f"[{key.table}]\n" if key.table else ""
    path.write_text(f"{head}{key.name} = {value}\n")

    assert load(path, {}) == load(plain, {key.variable: str(key.default)}) == load(plain, {})
