"""The roster: which agents exist, read from the castra, and read again where a file has changed.

Nothing is kept that the file would not say again: a prompt that breaks is refused at the next turn, with the
reason. A centurio who is removed is put aside with all his files, never deleted.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from legio import disk
from legio.castra import Castra, centurio_name
from legio.errors import CastraError, ProfileError, Refused
from legio.nuntius import LEGATUS
from legio.roster.grants import doubts
from legio.roster.profile import Profile, completed, parse
from legio.roster.rewriting import HISTORY, keep, put

LARGEST_PROMPT_BYTES = 262_144
REMOVED = ".removed"

_Signature = tuple[int, int, int]


class Roster:
    """The agents of one castra. Reads small files where it stands: nothing here waits."""

    def __init__(self, castra: Castra) -> None:
        self._castra = castra
        self._known: dict[str, tuple[_Signature, Profile]] = {}

    def profile(self, name: str) -> Profile:
        """The agent as his `prompt.md` is now; raises `ProfileError` when there is none that can be used."""
        path = self._prompt(name)
        with self._explained(name, path):
            signature = _signature(self._castra.confine(path))
            known = self._known.get(name)
            if known is None or known[0] != signature:
                profile = parse(name, path.read_bytes().decode(), where=self._shown(path))
                known = self._known[name] = (signature, profile)
            return known[1]

    def text(self, name: str) -> str:
        """An agent's `prompt.md` as it stands, usable or not; raises `ProfileError` if it cannot be read."""
        path = self._prompt(name)
        with self._explained(name, path):
            _signature(self._castra.confine(path))
            return path.read_bytes().decode()

    def names(self) -> tuple[str, ...]:
        """The centuriones' names, sorted; also those with a broken prompt: addressed, they say why."""
        return tuple(name for name in self._entries() if not _misnamed(name))

    def centuriones(self) -> tuple[Profile, ...]:
        """The centuriones whose prompt can be used, by name."""
        return tuple(profile for profile in map(self._usable, self.names()) if profile is not None)

    def broken(self) -> tuple[str, ...]:
        """A word on each centurio who cannot be used, saying why."""
        return tuple(self._complaints())

    def doubts(self) -> tuple[str, ...]:
        """A word on each granted tool, the Legatus's too, that may be misspelt."""
        profiles = [self._usable(LEGATUS), *self.centuriones()]
        return tuple(word for profile in profiles if profile is not None for word in doubts(profile))

    def create(self, name: str, specialization: str, prompt_text: str, limit: int) -> Profile:
        """A new centurio; `prompt_text` is his `prompt.md`, or only its body, described by `specialization`.

        Raises `Refused` when he exists or there are `limit` already, `ProfileError` when the name, the
        description or the prompt cannot be used, `CastraError` when the castra cannot be written.
        """
        post = self._castra.post(centurio_name(name))
        existing = self._entries()
        if name in existing or os.path.lexists(post):
            raise Refused(f"there is a centurio '{name}' already.", remedy="Choose another name.")
        if len(existing) >= limit:
            raise Refused(
                f"there are {len(existing)} centuriones, and there may be {limit}.",
                remedy="Remove one, or raise max_centuriones in legio.toml.",
            )
        text = completed(prompt_text, specialization)
        parse(name, text, where=name)
        self._install(post, text.encode())
        return self.profile(name)

    def rewrite(self, name: str, text: str, *, was: str, now: datetime) -> Profile:
        """Give an agent another `prompt.md`; the former one is kept in `.history` beside it, dated `now`.

        `was` is the text that its editor began with. Nothing changes, and it raises `ProfileError` when the
        new text cannot be used, `Refused` when `was` does not stand there any more, and `CastraError` when
        the castra cannot be written.
        """
        path = self._prompt(name)
        parse(name, text, where=self._shown(path))
        content = text.encode()
        with self._explained(name, path):
            _bearable(len(content))
        if self.text(name) != was:
            raise Refused(
                f"{name}'s prompt has been changed since you opened it; nothing was written.",
                remedy="Open it again, and make your change there.",
            )
        if text != was:
            try:
                keep(path, self._castra.folder(path.parent / HISTORY), now)
                put(path, content)
            except OSError as error:
                raise self._unwritable(path, error) from error
        return self.profile(name)

    def remove(self, name: str, now: datetime) -> Path:
        """Put a centurio's folder aside; returns where it lies now. `ProfileError` if there is none."""
        post = self._castra.confine(self._castra.post(centurio_name(name)))
        if not post.is_dir():
            raise self._unknown(name)
        aside = self._castra.folder(self._castra.centuriones / REMOVED)
        stamp = f"{name}-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        target = aside / stamp
        count = 1
        while os.path.lexists(target):
            count += 1
            target = aside / f"{stamp}-{count}"
        try:
            post.rename(target)
        except OSError as error:
            raise self._unwritable(post, error) from error
        self._known.pop(name, None)
        return target

    # --- files ---------------------------------------------------------------------------------------

    def _prompt(self, name: str) -> Path:
        return self._castra.prompt(name if name == LEGATUS else centurio_name(name))

    @contextmanager
    def _explained(self, name: str, path: Path) -> Iterator[None]:
        """Whatever hinders reading a prompt is told as a `ProfileError` about it."""
        try:
            yield
        except ProfileError:
            raise
        except CastraError as error:
            raise ProfileError(error.what, where=self._shown(path), remedy=error.remedy) from error
        except (OSError, UnicodeDecodeError) as error:
            raise self._unreadable(name, path, error) from error

    def _entries(self) -> list[str]:
        """The folders and links among the centuriones; none where there is no list, which `broken` tells."""
        try:
            return self._listed()
        except OSError:
            return []

    def _listed(self) -> list[str]:
        return [
            child.name
            for child in sorted(self._castra.centuriones.iterdir())
            # What begins with a dot was put aside or is half made.
            if not child.name.startswith(".") and (child.is_symlink() or child.is_dir())
        ]

    def _usable(self, name: str) -> Profile | None:
        try:
            return self.profile(name)
        except ProfileError:
            return None

    def _complaints(self) -> Iterator[str]:
        try:
            self._listed()
        except FileNotFoundError:
            pass  # an empty roster
        except OSError as error:
            shown = self._shown(self._castra.centuriones)
            yield f"{shown}: this folder cannot be read ({error.strerror}). Put it right."
        for name in self._entries():
            try:
                self.profile(name)
            except ProfileError as error:
                yield str(error)

    def _install(self, post: Path, text: bytes) -> None:
        """Write the folder beside its place and move it there whole: nobody ever reads half a prompt."""
        folder = self._castra.folder(post.parent)
        try:
            draft = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
            try:
                with disk.writing(draft / "prompt.md", 0o666) as file:
                    file.write(text)
                disk.sync(draft)
                draft.rename(post)
                disk.sync(folder)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        except OSError as error:
            raise self._unwritable(post, error) from error

    # --- words ---------------------------------------------------------------------------------------

    def _shown(self, path: Path) -> str:
        return str(path.relative_to(self._castra.root))

    def _unknown(self, name: str) -> ProfileError:
        names = ", ".join(self.names()) or "none"
        return ProfileError(f"there is no centurio '{name}'.", remedy=f"There are: {names}.")

    def _unreadable(self, name: str, path: Path, error: OSError | UnicodeDecodeError) -> ProfileError:
        if isinstance(error, FileNotFoundError) and name != LEGATUS and not path.parent.exists():
            return self._unknown(name)
        match error:
            case UnicodeDecodeError():
                what, remedy = f"byte {error.start} is not UTF-8.", "Save it as UTF-8."
            case FileNotFoundError():
                what, remedy = "there is no such file.", "Write it: front matter, then the prompt."
            case _:
                what, remedy = f"it cannot be read ({error.strerror}).", "Give Legio the right to read it."
        return ProfileError(what, where=self._shown(path), remedy=remedy)

    def _unwritable(self, post: Path, error: OSError) -> CastraError:
        return CastraError(
            f"the castra cannot be written ({error.strerror}).",
            where=self._shown(post),
            remedy="Give Legio the right to write there, and look whether the disk is full.",
        )


def _misnamed(name: str) -> bool:
    try:
        centurio_name(name)
    except ProfileError:
        return True
    return False


def _signature(path: Path) -> _Signature:
    """What changes when a file does; `CastraError` for what is no file or too large for a prompt."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise CastraError("this is no file.", remedy="Put the prompt's file in its place.")
    _bearable(status.st_size)
    return status.st_mtime_ns, status.st_size, status.st_ino


def _bearable(size: int) -> None:
    if size > LARGEST_PROMPT_BYTES:
        raise CastraError(
            f"it has {size} bytes.", remedy=f"A prompt may have {LARGEST_PROMPT_BYTES} at most."
        )
