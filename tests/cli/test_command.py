import argparse
import subprocess
import sys

from legio.cli.command import later


def test_a_command_is_loaded_when_it_runs() -> None:
    run = later("tests.cli.late", "shout")
    assert "tests.cli.late" not in sys.modules
    assert run(argparse.Namespace(word="ave")) == 3


def test_a_health_check_loads_no_bot_and_no_sdk() -> None:
    script = (
        "import sys, legio.cli; print(sorted({'telegram', 'claude_agent_sdk', 'mcp'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
