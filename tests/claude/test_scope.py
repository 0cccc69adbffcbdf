"""What one allowance covers: never more than Caesar was shown."""

import pytest

from legio.claude.scope import scope


def bash(command: str, **more: object) -> tuple[str, str]:
    return scope("Bash", {"command": command, **more})


def test_a_reading_program_is_covered_with_other_arguments() -> None:
    assert bash("ls") == bash("ls -la notes") == bash("ls 'my notes'", description="Looks.", timeout=9)
    assert bash("ls")[1] == "every plain command of ls, which only reads"
    assert bash("ls")[0] != bash("cat x")[0]


@pytest.mark.parametrize(
    "command",
    [
        *("ls; rm -rf .", "ls && rm x", "ls | sh", "ls > x", "ls $(rm x)", "ls `rm x`", "ls\nrm x"),
        *("ls &", "ls {a,b}", "FOO=1 ls", "/tmp/ls", "ls \\\nrm", "echo a >> b", "cat < x", "ls #", "ls !x"),
        *("rm x", "python3 x.py", "git status", "env ls", "find . -delete", "sort -o x y", "", "   "),
    ],
)
def test_any_other_command_is_covered_word_for_word(command: str) -> None:
    key, covers = bash(command)
    assert covers == "this very command, word for word"
    assert bash(command, description="Says something else.") == (key, covers)
    assert bash(f"{command} more")[0] != key


def test_a_command_in_the_background_is_another_one() -> None:
    assert bash("ls", run_in_background=True)[1] == "this very command, word for word"
    assert bash("make")[0] != bash("make", run_in_background=True)[0]


def test_a_shell_that_is_not_the_sandboxed_one_is_covered_word_for_word() -> None:
    assert scope("Monitor", {"command": "ls"})[1] == "this very command, word for word"


def test_a_page_is_covered_by_its_host_and_so_is_a_connection() -> None:
    one, other = (
        scope("WebFetch", {"url": f"https://{host}/a", "prompt": "?"}) for host in ("a.org", "b.org")
    )
    assert one == ("WebFetch a.org", "every page of a.org")
    assert one[0] != other[0]
    assert scope("WebFetch", {}) == ("WebFetch nowhere", "every page of nowhere")
    assert scope("SandboxNetworkAccess", {"host": "a.org"})[1] == "every connection of a command to a.org"


def test_any_other_tool_is_covered_as_such() -> None:
    assert (
        scope("Write", {"file_path": "a"})
        == scope("Write", {"file_path": "b"})
        == ("Write", "every use of Write")
    )
