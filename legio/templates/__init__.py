"""What a new Legio starts with: a castra worth having, its `legio.toml`, and the mould of a new centurio.

The files lie beside this module and are read as package data, so that a wheel carries them. Nothing that
exists is ever overwritten: after the first moment everything belongs to the owner.
"""

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

import tomli_w

from legio.castra import Castra, centurio_name
from legio.config import KEYS, Key
from legio.errors import CastraError, ProfileError
from legio.memoria import files
from legio.memoria.documents import tidy_line

CONFIGURATION = "legio.toml"
FOLDERS = ("castra/edicta", "castra/acta")
"""Empty at first, which neither git nor a wheel can carry."""

_HEAD = """\
# Legio's configuration. Each key can be overridden by an environment variable: LEGIO_ + table + key.
# A key behind a '#' is not set: take the '#' away and write a value. Secrets come from the environment alone.
"""
_FOLLOWING = ("telegram", "base_file_url")
"""Follows base_url as long as nobody sets it, so a new file must not."""


def init(target: Path) -> tuple[Path, ...]:
    """Write `legio.toml` and a castra into `target`; returns the files written, and leaves all others.

    Raises `CastraError`, before anything is written, when a part of the way is a symbolic link, and when
    the disk refuses a file.
    """
    root = target.resolve()
    contents = {root / CONFIGURATION: configuration().encode()}
    contents |= {root / "castra" / path: content for path, content in _packaged(_data() / "castra")}
    folders = [root / folder for folder in FOLDERS]
    for path in (*contents, *folders):
        _confine(path, root)
    for folder in folders:
        _make(folder)
    return tuple(path for path, content in contents.items() if _write(path, content))


def configuration() -> str:
    """A `legio.toml` with every key, its meaning, and its default."""
    tables: dict[str, str] = {}
    for key in KEYS:
        tables[key.table] = tables.get(key.table, "") + _line(key)
    sections = [f"[{table}]\n{lines}" if table else lines for table, lines in tables.items()]
    return "\n".join((_HEAD, *sections))


def blueprint(name: str, specialization: str) -> str:
    """What a new centurio's `prompt.md` says below its front matter, which the roster writes.

    `specialization` is one sentence. Raises `ProfileError` for a name he may not bear, or when it is empty.
    """
    sentence = tidy_line(specialization)
    if not sentence:
        raise ProfileError(f"it is not said what {name} is for.", remedy="Say it in one sentence.")
    mould = Template((_data() / "blueprint.md").read_text(encoding="utf-8"))
    return mould.substitute(title=centurio_name(name).capitalize(), specialization=sentence)


def _data() -> Traversable:
    return resources.files(__name__)


def _packaged(folder: Traversable) -> Iterator[tuple[Path, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            yield from ((entry.name / path, content) for path, content in _packaged(entry))
        else:
            yield Path(entry.name), entry.read_bytes()


def _line(key: Key) -> str:
    if key.default is None or (key.table, key.name) == _FOLLOWING:
        return f"# {key.help}\n# {key.name} = <{key.type}>\n"
    return f"# {key.help}\n{tomli_w.dumps({key.name: key.default})}"


def _confine(path: Path, root: Path) -> None:
    try:
        Castra(root).confine(path)
    except OSError as error:
        raise _unwritable(path, error) from error


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _write(path: Path, content: bytes) -> bool:
    _make(path.parent)
    try:
        return files.create(path, content, mode=0o644)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> CastraError:
    return CastraError(
        f"this cannot be written ({error.strerror}).",
        where=str(path),
        remedy="Choose a folder in which you may write.",
    )
