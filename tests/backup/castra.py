"""A castra with everything in it that a backup has to bring along, and some that it must not."""

import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from legio.backup import Source
from legio.castra import Castra
from legio.ports import Letter, Process, Thread
from legio.praetorium import open_praetorium
from legio.templates import init
from tests.praetorium.record import StillClock, answered, parcel, said

NOW = datetime(2026, 11, 21, 3, 4, 5, tzinfo=UTC)
THREAD = "11111111-1111-4111-8111-111111111111"
TRANSCRIPT = f"homes/vorenus/projects/-old-place/{THREAD}.jsonl"
SECRET = "770077:" + "S" * 35

OTHERS = {
    "acta/a-ford.xml": "<actum>deep</actum>",
    "attachments/2026-11-21/1-plan.txt": "march",
    "edicta/.history/old.xml": "<edictum>gone</edictum>",
    "legatus/commentarii/doubt.xml": "<commentarium>hm</commentarium>",
    "centuriones/.removed/titus-1/prompt.md": "You were Titus.",
    TRANSCRIPT: '{"said":"the ford is deep"}\n',
    "homes/vorenus/.claude.json": "{}",
    "homes/vorenus/.credentials.json": "login",
    "workspaces/vorenus/plan.txt": "a plan",
    "notes/deep.draft": "of the owner's",
    "acta/.half.draft": "half",
    "legio.lock": "4711\n",
}


async def inhabited(folder: Path) -> Castra:
    """Write it into `folder`, beside its legio.toml."""
    init(folder)
    castra = Castra(folder / "castra")
    for name, text in OTHERS.items():
        path = castra.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    async with open_praetorium(castra.database, StillClock()) as praetorium:
        await praetorium.inbox.put(Letter(501, "{}", NOW))
        (turn,) = await praetorium.turns.admit(said("how deep"), ["vorenus"], update_id=501, message=41)
        thread = Thread("vorenus", id=THREAD, cursor=1, process=Process(4711, 1.5))
        await praetorium.turns.end(turn, answered("deep", "vorenus", turn.nuntius, parcel("deep")), thread)
    return castra


def source(castra: Castra, **more: object) -> Source:
    return Source(castra, castra.root.parent / "legio.toml", (SECRET,), **more)  # type: ignore[arg-type]


def members(archive: Path) -> dict[str, bytes | None]:
    """What is in the archive: each file's content, None for a folder."""
    with tarfile.open(archive) as tar:
        found = {member.name: tar.extractfile(member) for member in tar}
        return {name: None if stream is None else stream.read() for name, stream in found.items()}


def tree(folder: Path) -> Mapping[str, bytes]:
    """All files below a folder with their content; the lock's comes and goes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "legio.lock"
    }
