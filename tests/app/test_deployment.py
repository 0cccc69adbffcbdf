from dataclasses import replace
from pathlib import Path

import pytest

from legio.app import Deployment
from legio.config import Config, Credential, Secrets

PLAIN = Deployment(Config(castra=Path("/camp")), Secrets(), caesar_id=7, token="7:secret")


@pytest.mark.parametrize(
    ("credential", "given"),
    [
        (None, ("ANTHROPIC_API_KEY", "none")),
        (Credential("ANTHROPIC_AUTH_TOKEN", "mine"), ("ANTHROPIC_AUTH_TOKEN", "mine")),
    ],
)
def test_a_cli_is_always_given_a_credential(credential: Credential | None, given: tuple[str, str]) -> None:
    line = replace(PLAIN, secrets=Secrets(None, credential)).model_line
    assert line.credential == given


def test_sessions_are_held_to_what_is_configured() -> None:
    limits = replace(PLAIN, config=replace(PLAIN.config, session_idle_timeout_minutes=2)).limits
    assert (limits.idle_seconds, limits.max_live, limits.max_megabytes) == (120, 8, 800)


def test_days_begin_where_caesar_lives() -> None:
    deployment = replace(PLAIN, config=replace(PLAIN.config, timezone="Europe/Zurich"))
    assert deployment.zone.key == "Europe/Zurich"
    assert deployment.castra.root == Path("/camp")
