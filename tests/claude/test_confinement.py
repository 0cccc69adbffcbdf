"""Where a path really leads, and what is refused."""

from pathlib import Path

import pytest

from legio.claude.confinement import outside


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = tmp_path / "workspaces" / "pullo"
    (workspace / "deep").mkdir(parents=True)
    (workspace / "mine.txt").touch()
    (tmp_path / "secret.txt").touch()
    (workspace / "out").symlink_to(tmp_path)
    (workspace / "out.txt").symlink_to(tmp_path / "secret.txt")
    (workspace / "in.txt").symlink_to(workspace / "mine.txt")
    (workspace / "round").symlink_to(workspace / "round")
    (workspace.parent / "pullo-the-other").mkdir()
    return workspace


@pytest.mark.parametrize(
    "path",
    [
        "mine.txt",
        "./mine.txt",
        "deep/../mine.txt",
        "deep/new/file.txt",
        "in.txt",
        "",
        ".",
        "a name with ~ in it",
    ],
)
def test_what_stays_in_the_workspace_passes(workspace: Path, path: str) -> None:
    for given in (path, str(workspace / path)):
        assert outside({"file_path": given}, tool="Read", cwd=str(workspace), workspace=workspace) == ""


@pytest.mark.parametrize(
    "path",
    [
        *(
            "../vorenus/x",
            "/etc/passwd",
            "/",
            "..",
            "deep/../../x",
            "out/secret.txt",
            "out.txt",
            "out/new.txt",
        ),
        *("~/.ssh/id_rsa", "~", "round/x", "mine\0.txt", "../pullo-the-other/x"),
    ],
)
def test_what_leads_out_of_it_is_refused(workspace: Path, path: str) -> None:
    refused = outside({"file_path": path}, tool="Write", cwd=str(workspace), workspace=workspace)
    assert "outside of your workspace" in refused


def test_a_relative_path_starts_where_the_agent_stands(workspace: Path) -> None:
    deep = str(workspace / "deep")
    assert outside({"path": "../mine.txt"}, tool="Grep", cwd=deep, workspace=workspace) == ""
    assert outside({"path": "../../x"}, tool="Grep", cwd=deep, workspace=workspace)
    assert outside({"path": "mine.txt"}, tool="Grep", cwd="", workspace=workspace) == ""


@pytest.mark.parametrize(
    "name", ["file_path", "notebook_path", "path", "filePath", "directory", "working_dir", "file"]
)
def test_every_argument_that_holds_a_path_counts(workspace: Path, name: str) -> None:
    assert outside({name: "/etc"}, tool="Whatever", cwd="", workspace=workspace)
    assert outside({name: 7}, tool="Whatever", cwd="", workspace=workspace) == ""


@pytest.mark.parametrize("pattern", ["/etc/*", "../*", "deep/../../*", "~/*", "{a,../b}", "!/x"])
def test_a_pattern_that_leaves_is_refused(workspace: Path, pattern: str) -> None:
    assert "leaves your workspace" in outside({"pattern": pattern}, tool="Glob", cwd="", workspace=workspace)
    assert "leaves your workspace" in outside({"glob": pattern}, tool="Grep", cwd="", workspace=workspace)


def test_what_is_searched_for_is_no_path(workspace: Path) -> None:
    arguments = {"pattern": "/etc/../passwd", "glob": "**/*.py"}
    assert outside(arguments, tool="Grep", cwd="", workspace=workspace) == ""
    assert outside({"content": "/etc/passwd"}, tool="Write", cwd="", workspace=workspace) == ""
