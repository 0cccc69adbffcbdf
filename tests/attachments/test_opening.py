import codecs
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from legio.attachments.depot import Depot
from legio.attachments.opening import (
    ALL_TEXT_CHARACTERS,
    MOST_PICTURES,
    TEXT_CHARACTERS,
    Opening,
    decoded,
    is_picture,
    is_text,
)
from legio.castra import Castra
from legio.nuntius import CAESAR, LEGATUS, Attachment, Nuntius
from legio.ports import Enclosed
from tests.attachments.pictures import picture, size_of
from tests.scenes import scene

DAY = date(2026, 11, 21)


class Sent:
    """Files that were kept, and how they are opened."""

    def __init__(self, folder: Path) -> None:
        self.depot = Depot(Castra(folder))
        self.files: list[Attachment] = []

    def add(self, name: str, media_type: str, content: bytes) -> Attachment:
        place = self.depot.keep(DAY, str(len(self.files)), name, content)
        self.files.append(Attachment(place, name, media_type, len(content), "document"))
        return self.files[-1]

    async def opened(self, workspace: Path | None = None) -> Enclosed:
        noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
        nuntius = Nuntius("n", CAESAR, "", (LEGATUS,), noon, attachments=tuple(self.files))
        return await Opening(self.depot)(nuntius, workspace)


@scene
async def test_pictures_come_shrunk_and_texts_as_they_are(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    sent.add("camp.png", "image/png", picture(3136, 1000))
    text = sent.add("orders.txt", "text/plain", b"march <now> & here")
    sent.add("plan.zip", "application/zip", b"PK")
    opened = await sent.opened()
    assert [size_of(it.data) for it in opened.pictures] == [(1568, 500)]
    assert opened.texts == {text.path: "march <now> & here"}
    assert opened.flaws == {}


@scene
async def test_a_nuntius_without_files_has_nothing_to_open(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    sent.files.append(Attachment("", "big.zip", "application/zip", 1, "document", "it was not kept"))
    assert await sent.opened() == Enclosed()


@scene
async def test_a_long_text_is_cut_and_said_to_be(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    files = [sent.add(f"{n}.txt", "text/plain", b"x" * (TEXT_CHARACTERS + 5)) for n in range(3)]
    opened = await sent.opened()
    assert [len(opened.texts.get(it.path, "")) for it in files] == [TEXT_CHARACTERS, TEXT_CHARACTERS, 0]
    assert opened.flaws[files[0].path] == f"only its first {TEXT_CHARACTERS} characters are shown"
    assert sum(map(len, opened.texts.values())) == ALL_TEXT_CHARACTERS


@scene
async def test_a_very_long_text_is_not_read_to_its_end(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    long = sent.add("long.log", "text/plain", "ü".encode() * 400_000)
    opened = await sent.opened()
    assert opened.texts[long.path] == "ü" * TEXT_CHARACTERS
    assert long.path in opened.flaws


@scene
async def test_what_cannot_be_shown_any_more_is_said_and_hurts_nothing_else(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    gone = sent.add("gone.txt", "text/plain", b"x")
    broken = sent.add("broken.png", "image/png", b"no picture")
    fine = sent.add("fine.txt", "text/plain", b"ave")
    sent.depot.path(gone.path).unlink()
    opened = await sent.opened()
    assert opened.texts == {fine.path: "ave"}
    assert set(opened.flaws) == {gone.path, broken.path}
    assert all(said.startswith("it cannot be shown: ") for said in opened.flaws.values())


@scene
async def test_of_very_many_pictures_the_first_are_shown(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    for number in range(MOST_PICTURES + 1):
        sent.add(f"{number}.png", "image/png", picture(10, 10))
    opened = await sent.opened()
    assert len(opened.pictures) == MOST_PICTURES
    assert opened.flaws == {
        sent.files[-1].path: "it cannot be shown: no more than 10 pictures are shown at once."
    }


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"ave", "ave"),
        (codecs.BOM_UTF8 + "ö".encode(), "ö"),
        ("öß".encode("utf-16"), "öß"),
        ("öß".encode("latin-1"), "öß"),
        ("ö".encode()[:1] + b"", ""),
    ],
)
def test_texts_are_read_in_the_encodings_that_people_use(content: bytes, text: str) -> None:
    assert decoded(content) == text


@pytest.mark.parametrize(
    ("media_type", "name", "told"),
    [
        ("text/plain", "a", True),
        ("text/csv; charset=utf-8", "a", True),
        ("application/json", "a", True),
        ("image/svg+xml", "a.svg", True),
        ("application/octet-stream", "NOTES.MD", True),
        ("application/octet-stream", "a.bin", False),
        ("application/pdf", "a.pdf", False),
        ("image/png", "a.png", False),
    ],
)
def test_what_is_told_in_words(media_type: str, name: str, told: bool) -> None:  # noqa: FBT001
    assert is_text(media_type, name) is told


def test_a_drawing_in_words_is_no_picture() -> None:
    assert is_picture("image/png")
    assert not is_picture("image/svg+xml")
    assert not is_picture("text/plain")


@scene
async def test_files_are_lent_to_a_workspace_that_is_named(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    plan = sent.add("plan.zip", "application/zip", b"PK")
    (tmp_path / "workspace").mkdir()
    opened = await sent.opened(tmp_path / "workspace")
    nowhere = await sent.opened(tmp_path / "missing")
    assert opened.lent == {plan.path: "received/0-plan.zip"}
    assert (tmp_path / "workspace" / "received" / "0-plan.zip").read_bytes() == b"PK"
    assert nowhere.lent == {}
    assert plan.path in nowhere.flaws
