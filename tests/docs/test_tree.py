import ast
import re
from pathlib import Path

from tests.docs.pages import blocks
from tests.tree import ROOT, files

MODULES = [path for path in files("legio") if path.suffix == ".py" and path.name != "__main__.py"]
WRITTEN = (".py", ".md", ".toml", ".yaml", ".js", ".css", ".html", ".sh", "")
UNFINISHED = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)))


def acts(path: Path) -> bool:
    """Whether a module defines anything that does something: a function with a body, not a promise of one."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(len(node.body) > 1 or not isinstance(node.body[0], ast.Expr) for node in functions)


def mirrored(path: Path) -> Path:
    """Where a module's tests are."""
    folder = Path("tests", *path.parts[1:-1])
    return folder / ("test_init.py" if path.name == "__init__.py" else f"test_{path.name}")


def test_each_module_that_does_something_has_its_test_module() -> None:
    missing = [f"{path} wants {mirrored(path)}" for path in MODULES if acts(path)]
    assert [words for words in missing if not (ROOT / words.split(" wants ")[1]).exists()] == []


def test_nothing_is_left_to_be_done() -> None:
    unfinished = []
    for path in files():
        if path.suffix in WRITTEN and path.parts[0] != "castra":
            text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
            unfinished += [str(path)] if UNFINISHED.search(text) else []
    assert unfinished == []


def test_the_design_shows_every_part_and_no_other() -> None:
    (layout,) = blocks("docs/design.md", "")
    shown = sorted(re.findall(r"^(\w+) +\S", layout, re.MULTILINE))
    parts = {
        path.parts[1].removesuffix(".py") for path in MODULES if path.name != "__init__.py" or path.parts[2:]
    }
    assert shown == sorted(parts)


def test_the_top_of_the_repository_holds_what_engineers_expect_and_no_more() -> None:
    assert {path.parts[0] for path in files()} == {
        ".ci", ".dockerignore", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "LICENSE",
        "Makefile", "README.md", "castra", "compose.yaml", "docs", "legio", "legio.toml", "pyproject.toml",
        "tests",
    }  # fmt: skip
