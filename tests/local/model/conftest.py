import os
from pathlib import Path

import pytest

FOREIGN = ("ANTHROPIC_", "CLAUDE")


@pytest.fixture
def cli_environment(tmp_path: Path) -> dict[str, str]:
    """What a CLI is started with beside the server's address: a home of its own, and nothing inherited.

    The SDK gives a CLI this process's environment too; an empty value is how a variable is taken out of it.
    """
    inherited = [name for name in os.environ if name.startswith(FOREIGN) or name.upper().endswith("_PROXY")]
    (tmp_path / "home").mkdir()
    return {
        **dict.fromkeys(inherited, ""),
        "HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "config"),
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "4",
    }
