import pytest

from legio.local.botapi.files import PHOTO_BYTES, FileStore, Upload, media
from legio.local.botapi.wire import Refusal
from tests.local.botapi.rig import PNG


def png(width: int, height: int) -> bytes:
    return PNG[:16] + width.to_bytes(4, "big") + height.to_bytes(4, "big") + PNG[24:]


def test_a_file_is_found_by_its_id_and_by_its_path() -> None:
    files = FileStore()
    stored = files.add(Upload("plan.pdf", b"abc"), "document")
    assert stored.path == "documents/file_1.pdf"
    assert files.get(stored.id) == files.at(stored.path) == stored
    assert (files.get("x"), files.at("x")) == (None, None)


def test_a_document_keeps_its_name_and_type() -> None:
    body = media(FileStore().add(Upload("plan.pdf", b"abc"), "document")).body
    assert isinstance(body, dict)
    assert (body["file_name"], body["mime_type"], body["file_size"]) == ("plan.pdf", "application/pdf", 3)


def test_a_photo_tells_its_size_and_a_voice_its_length() -> None:
    photo = media(FileStore().add(Upload("a.png", PNG), "photo")).body
    voice = media(FileStore().add(Upload("a.ogg", b"OggS", "audio/ogg"), "voice")).body
    assert isinstance(photo, list)
    assert isinstance(voice, dict)
    assert (photo[0]["width"], photo[0]["height"]) == (1, 1)
    assert (voice["duration"], voice["mime_type"]) == (3, "audio/ogg")


@pytest.mark.parametrize("name", ["../../etc/passwd", "a.p/df", "none", "x.<script>", "a." + "x" * 40])
def test_no_name_reaches_into_a_path(name: str) -> None:
    path = FileStore().add(Upload(name, b"abc"), "document").path
    assert path.startswith("documents/file_1")
    assert ".." not in path
    assert path.count("/") == 1


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("document", b"", "file must be non-empty"),
        ("photo", b"text", "IMAGE_PROCESS_FAILED"),
        ("photo", png(0, 5), "IMAGE_PROCESS_FAILED"),
        ("photo", png(9000, 1001), "PHOTO_INVALID_DIMENSIONS"),
        ("photo", png(2100, 100), "PHOTO_INVALID_DIMENSIONS"),
        ("photo", PNG + bytes(PHOTO_BYTES), "too big for a photo"),
    ],
)
def test_what_telegram_would_not_keep_is_refused(kind: str, data: bytes, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        FileStore().add(Upload("a.png", data), kind)


def test_above_the_capacity_the_oldest_files_go() -> None:
    files = FileStore(capacity=10)
    first, second, third = (files.add(Upload(name, b"12345"), "document") for name in "abc")
    assert (files.get(first.id), files.at(first.path)) == (None, None)
    assert files.get(second.id)
    assert files.get(third.id)


def test_one_file_larger_than_the_capacity_is_kept_alone() -> None:
    files = FileStore(capacity=2)
    assert files.get(files.add(Upload("a", b"12345"), "document").id)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("audio", {"file_name": "a.mp4", "duration": 3}),
        ("video", {"file_name": "a.mp4", "duration": 3, "width": 240, "height": 240}),
        ("animation", {"file_name": "a.mp4", "duration": 3, "width": 240, "height": 240}),
        ("video_note", {"duration": 3, "length": 240}),
    ],
)
def test_what_sounds_or_moves_says_how_long_and_how_large(kind: str, fields: dict[str, object]) -> None:
    carried = media(FileStore().add(Upload("a.mp4", b"abc"), kind))
    assert isinstance(carried.body, dict)
    assert carried.body.items() >= fields.items()
    assert set(carried.also) == ({"document"} if kind == "animation" else set())
