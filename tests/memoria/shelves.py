"""Documents as a test needs them: published, noted, written by hand, and a disk that is full."""

from pathlib import Path

from legio.ports import Document, Kind, Memoria

BY_HAND = "<{kind}><title>{title}</title><text>By hand.</text></{kind}>"


def publish(memoria: Memoria, title: str = "Plain words", text: str = "Use them.") -> Document:
    document, warning = memoria.write(Kind.EDICTUM, title=title, text=text, author="caesar")
    assert warning == ""
    return document


def note(memoria: Memoria, owner: str, text: str = "Noted.") -> Document:
    document, _ = memoria.write(Kind.COMMENTARIUM, title="Note", text=text, author=owner, owner=owner)
    return document


def by_hand(path: Path, *, kind: str = "edictum", title: str = "By hand") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(BY_HAND.format(kind=kind, title=title))
    return path


def content(folder: Path) -> dict[str, bytes]:
    """Every file below, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
