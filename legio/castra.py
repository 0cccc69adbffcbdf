"""Where everything lies: the paths of one castra, and the rule that nothing leaves it.

The one folder that the owner reads, edits, diffs and backs up. Who reads or writes a file there is another
module's business; this one only says where it is and refuses what would lead outside.
"""

from dataclasses import dataclass
from pathlib import Path

from legio.errors import CastraError, ProfileError
from legio.nuntius import LEGATUS, NAME, RESERVED


@dataclass(frozen=True, slots=True)
class Castra:
    """The paths below `root`, which is absolute."""

    root: Path

    @property
    def centuriones(self) -> Path:
        """One folder a centurio, named like him."""
        return self.root / "centuriones"

    @property
    def edicta(self) -> Path:
        """The standing orders, one XML file each."""
        return self.root / "edicta"

    @property
    def acta(self) -> Path:
        """The shared knowledge, one XML file each."""
        return self.root / "acta"

    @property
    def attachments(self) -> Path:
        """What came and went as a file, one folder a day."""
        return self.root / "attachments"

    @property
    def local(self) -> Path:
        """The chat of `legio local`, with its files."""
        return self.root / "local"

    @property
    def database(self) -> Path:
        """The praetorium."""
        return self.root / "praetorium.db"

    @property
    def lock(self) -> Path:
        """Held by the one Legio that works here; holds its pid and is touched while it polls."""
        return self.root / "legio.lock"

    def post(self, agent: str) -> Path:
        """An agent's own folder: prompt and commentarii."""
        return self.root / LEGATUS if agent == LEGATUS else self.centuriones / agent

    def prompt(self, agent: str) -> Path:
        """An agent's `prompt.md`."""
        return self.post(agent) / "prompt.md"

    def commentarii(self, agent: str) -> Path:
        """An agent's journal, one XML file an entry."""
        return self.post(agent) / "commentarii"

    def home(self, agent: str) -> Path:
        """An agent's private CLI configuration and transcripts: two clients on one would race."""
        return self.root / "homes" / agent

    def workspace(self, agent: str) -> Path:
        """An agent's working folder."""
        return self.root / "workspaces" / agent

    def folder(self, path: Path) -> Path:
        """`path` as a folder that exists, for the owner alone; raises `CastraError` if that cannot be."""
        self.confine(path)
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise CastraError(
                f"this folder cannot be made ({error.strerror}).",
                where=str(path),
                remedy="Give Legio the right to write in the castra.",
            ) from error
        return path

    def confine(self, path: Path) -> Path:
        """`path` itself, if it lies in the castra and no part of it below the root is a symbolic link.

        Raises `CastraError` otherwise: a link or a `..` in the castra would let a name reach any file.
        """
        if not path.is_relative_to(self.root) or ".." in path.parts:
            raise CastraError("this path leaves the castra.", where=str(path), remedy="Use a plain name.")
        steps = [path, *path.parents]
        for step in steps[: len(path.parts) - len(self.root.parts)]:
            if step.is_symlink():
                raise CastraError(
                    "symbolic links are not followed in the castra.",
                    where=str(step),
                    remedy="Replace the link by the file or folder itself.",
                )
        return path


def centurio_name(name: str) -> str:
    """`name`, if a centurio may bear it; raises `ProfileError` with the rule otherwise."""
    if name in RESERVED:
        raise ProfileError(f"the name '{name}' is reserved.", remedy="Choose another name.")
    if not NAME.fullmatch(name):
        raise ProfileError(
            f"'{name}' cannot be a centurio's name.",
            remedy="Use 1 to 32 of a-z, 0-9, '-' and '_', beginning with a letter.",
        )
    return name
