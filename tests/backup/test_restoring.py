import io
import json
import tarfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from legio.backup import make, restore
from legio.backup.restoring import _swap
from legio.castra import Castra
from legio.errors import CastraError, ConfigurationError, LegioError, PraetoriumBusy, PraetoriumError
from legio.ports import Thread
from legio.praetorium import open_praetorium
from legio.praetorium.lock import hold
from legio.templates import init
from tests.backup.castra import NOW, OTHERS, THREAD, TRANSCRIPT, inhabited, source, tree
from tests.praetorium.record import StillClock, payloads
from tests.scenes import scene

LATER = NOW + timedelta(days=1)
MANIFEST = json.dumps({"format": 1, "legio": "0.1.0", "taken": "2026-11-21T03:04:05+00:00"})
Member = tuple[str, str | None]


async def backup(folder: Path) -> Path:
    """An archive of a castra that was in `folder`."""
    folder.mkdir()  # noqa: ASYNC240  (nothing else runs)
    castra = await inhabited(folder)
    return make(source(castra), folder / "legio.tar.gz", now=NOW).path


def forged(path: Path, *members: Member, add: Callable[[tarfile.TarFile], None] = lambda _: None) -> Path:
    """An archive of those names and texts; one without a text is a folder."""
    with tarfile.open(path, "w:gz") as tar:
        for name, text in members:
            entry = tarfile.TarInfo(name)
            entry.type = tarfile.DIRTYPE if text is None else tarfile.REGTYPE
            entry.size = len(text or "")
            tar.addfile(entry, io.BytesIO((text or "").encode()))
        add(tar)
    return path


def refusal(archive: Path, configuration: Path) -> LegioError:
    """What is said of an archive that changes nothing."""
    before = tree(configuration.parent)
    with pytest.raises(LegioError) as caught:
        restore(archive, configuration, {}, now=LATER)
    assert tree(configuration.parent) == before
    return caught.value


@scene
async def test_on_a_new_machine_castra_and_configuration_come_back(tmp_path: Path) -> None:
    archive = await backup(tmp_path / "old")

    done = restore(archive, tmp_path / "new" / "legio.toml", {}, now=LATER)

    root = tmp_path / "new" / "castra"
    assert (done.castra, done.aside, done.configured) == (root, None, True)
    assert done.taken == "2026-11-21T03:04:05+00:00"
    assert (tmp_path / "new/legio.toml").read_bytes() == (tmp_path / "old/legio.toml").read_bytes()
    assert (root / TRANSCRIPT).read_text() == OTHERS[TRANSCRIPT]
    assert (root / "legatus/prompt.md").read_bytes() == Castra(tmp_path / "old/castra").prompt(
        "legatus"
    ).read_bytes()
    assert sorted(path.name for path in root.parent.iterdir()) == ["castra", "legio.toml"]


@scene
async def test_the_record_goes_on_where_it_stood_and_knows_that_time_has_passed(tmp_path: Path) -> None:
    archive = await backup(tmp_path / "old")

    done = restore(archive, tmp_path / "new" / "legio.toml", {}, now=LATER)

    async with open_praetorium(Castra(done.castra).database, StillClock()) as praetorium:
        assert await praetorium.check() == ()
        assert [it.text for it in await praetorium.nuntii.latest("caesar", 9)] == ["how deep", "deep"]
        due = await praetorium.outbox.due()
        assert (payloads(due), due[0].doubtful) == (["deep"], True)
        assert await praetorium.threads.load("vorenus") == Thread("vorenus", id=THREAD, cursor=1)


@scene
async def test_what_stood_there_is_moved_aside_whole(tmp_path: Path) -> None:
    archive = await backup(tmp_path / "old")
    (tmp_path / "here").mkdir()
    castra = await inhabited(tmp_path / "here")
    (castra.acta / "new.xml").write_text("since the backup")
    before = tree(castra.root)
    mine = (tmp_path / "here" / "legio.toml").read_bytes()

    done = restore(archive, tmp_path / "here" / "legio.toml", {}, now=LATER)

    assert done.aside == tmp_path / "here" / "castra.before-restore-2026-11-22T03-04-05Z"
    assert tree(done.aside) == before
    assert not (castra.acta / "new.xml").exists()
    assert (tmp_path / "here" / "legio.toml").read_bytes() == mine
    assert done.configured is False


@scene
async def test_the_castra_goes_where_the_environment_says(tmp_path: Path) -> None:
    archive = await backup(tmp_path / "old")

    done = restore(
        archive, tmp_path / "new" / "legio.toml", {"LEGIO_CASTRA": str(tmp_path / "camp")}, now=LATER
    )

    assert done.castra == tmp_path / "camp"
    assert (tmp_path / "camp" / "legatus" / "prompt.md").is_file()


@scene
async def test_where_a_legio_works_nothing_is_touched(tmp_path: Path) -> None:
    archive = await backup(tmp_path / "old")
    init(tmp_path / "new")

    with hold(tmp_path / "new" / "castra" / "legio.lock"):
        error = refusal(archive, tmp_path / "new" / "legio.toml")

    assert isinstance(error, PraetoriumBusy)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ([("notes.txt", "a letter")], "this is not a backup of Legio"),
        ([("legio-backup.json", "{}")], "legio-backup.json makes no sense"),
        ([("legio-backup.json", "[]")], "legio-backup.json makes no sense"),
        ([("legio-backup.json", "not JSON")], "legio-backup.json makes no sense"),
        ([("legio-backup.json", MANIFEST.replace("1,", "2,", 1))], "it has format 2"),
        ([("castra/../../evil", "x")], "it holds 'castra/../../evil', which no backup of Legio does"),
        ([("/etc/evil", "x")], "it holds '/etc/evil'"),
        ([("castra", None), ("castra/acta", None), ("castra/acta/x", "1"), ("castra/acta/x", "2")], "exists"),
    ],
)
def test_what_no_backup_holds_is_refused_and_nothing_is_written(
    tmp_path: Path, members: list[Member], said: str
) -> None:
    init(tmp_path / "new")
    archive = forged(tmp_path / "forged.tar.gz", *members)

    assert said in str(refusal(archive, tmp_path / "new" / "legio.toml"))
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_a_link_or_a_device_is_refused(tmp_path: Path, kind: bytes) -> None:
    def add(tar: tarfile.TarFile) -> None:
        entry = tarfile.TarInfo("castra/way-out")
        entry.type, entry.linkname = kind, "/etc/hostname"
        tar.addfile(entry)

    init(tmp_path / "new")
    archive = forged(tmp_path / "forged.tar.gz", ("legio-backup.json", MANIFEST), add=add)

    error = refusal(archive, tmp_path / "new" / "legio.toml")

    assert "it holds 'castra/way-out', which no backup of Legio does" in error.what


@pytest.mark.parametrize("damage", ["truncated", "flipped", "no archive", "missing", "a folder"])
@scene
async def test_a_damaged_archive_is_refused(tmp_path: Path, damage: str) -> None:
    archive = await backup(tmp_path / "old")
    content = archive.read_bytes()
    half = len(content) // 2
    damaged = tmp_path / "damaged.tar.gz"
    match damage:
        case "truncated":
            damaged.write_bytes(content[:half])
        case "flipped":
            damaged.write_bytes(content[:half] + bytes(255 - byte for byte in content[half:]))
        case "no archive":
            damaged.write_bytes(b"a letter")
        case "a folder":
            damaged.mkdir()
    init(tmp_path / "new")

    error = refusal(damaged, tmp_path / "new" / "legio.toml")

    assert error.where == str(damaged)
    assert error.remedy == "Nothing was changed; try another backup."


@scene
async def test_a_newer_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    castra = await inhabited(tmp_path / "old")
    archive = make(source(castra), tmp_path / "legio.tar.gz", now=NOW).path
    newer = tmp_path / "newer.tar.gz"
    with tarfile.open(archive) as old, tarfile.open(newer, "w:gz") as new:
        for member in old:
            content = old.extractfile(member)
            data = b"" if content is None else content.read()
            if member.name.endswith("praetorium.db"):
                data = data[:60] + (99).to_bytes(4, "big") + data[64:]  # user_version, by the file format
            new.addfile(member, io.BytesIO(data))
    init(tmp_path / "new")

    error = refusal(newer, tmp_path / "new" / "legio.toml")

    assert isinstance(error, PraetoriumError)
    assert "schema 99" in error.what


def test_an_archive_without_a_configuration_needs_one_that_is_there(tmp_path: Path) -> None:
    archive = forged(tmp_path / "forged.tar.gz", ("legio-backup.json", MANIFEST))
    (tmp_path / "new").mkdir()

    assert "it holds no legio.toml" in refusal(archive, tmp_path / "new" / "legio.toml").what

    init(tmp_path / "new")
    restore(archive, tmp_path / "new" / "legio.toml", {}, now=LATER)
    assert list((tmp_path / "new" / "castra").iterdir()) == []


def test_a_configuration_that_cannot_be_used_is_refused_before_anything(tmp_path: Path) -> None:
    archive = forged(tmp_path / "forged.tar.gz", ("legio.toml", "nonsense = 1"))
    (tmp_path / "new").mkdir()

    assert isinstance(refusal(archive, tmp_path / "new" / "legio.toml"), ConfigurationError)


def test_a_castra_around_its_own_configuration_is_not_moved(tmp_path: Path) -> None:
    archive = forged(tmp_path / "forged.tar.gz", ("legio-backup.json", MANIFEST))
    (tmp_path / "legio.toml").write_text('castra = "."')

    assert "holds its own legio.toml" in refusal(archive, tmp_path / "legio.toml").what


def test_a_mount_point_is_not_moved(tmp_path: Path) -> None:
    archive = forged(tmp_path / "forged.tar.gz", ("legio-backup.json", MANIFEST))
    (tmp_path / "legio.toml").write_text('castra = "/proc"')

    assert "mount point" in refusal(archive, tmp_path / "legio.toml").what


@scene
async def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    archive = await backup(tmp_path / "old")
    (tmp_path / "file").touch()
    (tmp_path / "legio.toml").write_text('castra = "file/castra"')

    error = refusal(archive, tmp_path / "legio.toml")

    assert isinstance(error, CastraError)
    assert "cannot be written" in error.what


@scene
async def test_a_castra_that_cannot_be_moved_aside_stays(tmp_path: Path) -> None:
    archive = await backup(tmp_path / "old")
    init(tmp_path / "new")
    # A folder of that name that is not empty: the rename aside fails.
    aside = tmp_path / "new" / "castra.before-restore-2026-11-22T03-04-05Z"
    aside.mkdir()
    (aside / "mine").touch()

    error = refusal(archive, tmp_path / "new" / "legio.toml")

    assert "cannot be written" in error.what
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["castra", aside.name, "legio.toml"]


def test_when_the_new_castra_cannot_take_its_place_the_old_one_does(tmp_path: Path) -> None:
    init(tmp_path)
    before = tree(tmp_path)

    with pytest.raises(CastraError, match="cannot be written"):
        _swap(tmp_path / "vanished", tmp_path / "castra", LATER)

    assert tree(tmp_path) == before
