from dataclasses import replace
from pathlib import Path

import pytest

from legio.config import Secrets
from tests.app.parts import SECRET, parts
from tests.scenes import scene


@pytest.mark.parametrize(("secret", "asked"), [(None, False), (SECRET, True)])
@scene
async def test_a_code_is_asked_for_only_where_there_is_a_secret(
    tmp_path: Path, secret: str | None, *, asked: bool
) -> None:
    async with parts(tmp_path, replace(Secrets(), totp_secret=secret)) as made:
        assert ("confirming" in [name for name, _ in made.door.tasks]) is asked
        assert (made.front.decisions.seal is not None) is asked


@scene
async def test_a_stop_is_seen_before_what_waits_in_front_of_it(tmp_path: Path) -> None:
    async with parts(tmp_path) as made:
        assert made.front.queue.hasten is not None
        assert "stop" in [command.name for command in made.door.commands.table]
