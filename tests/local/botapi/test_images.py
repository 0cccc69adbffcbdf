import pytest

from legio.local.botapi.images import dimensions
from tests.local.botapi.rig import PNG

JPEG = b"\xff\xd8\xff\xe0\x00\x04ab" + b"\xff\xc0\x00\x11\x08\x00\x02\x00\x03" + bytes(10)
WEBP = b"RIFF\x00\x00\x00\x00WEBP"


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PNG, (1, 1)),
        (b"GIF89a\x03\x00\x02\x00", (3, 2)),
        (JPEG, (3, 2)),
        (WEBP + b"VP8X" + bytes(8) + b"\x02\x00\x00\x01\x00\x00", (3, 2)),
        (WEBP + b"VP8L" + bytes(4) + b"\x2f\x02\x40\x00\x00" + bytes(5), (3, 2)),
        (WEBP + b"VP8 " + bytes(10) + b"\x03\x00\x02\x00", (3, 2)),
    ],
)
def test_a_picture_tells_its_size(data: bytes, size: tuple[int, int]) -> None:
    assert dimensions(data) == size


@pytest.mark.parametrize(
    "data", [b"", b"hello", PNG[:20], JPEG[:8], b"\xff\xd8no segments at all", WEBP + b"WHAT" + bytes(20)]
)
def test_what_is_no_picture_has_none(data: bytes) -> None:
    assert dimensions(data) is None
