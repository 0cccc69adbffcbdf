import io
import random
import zlib

import pytest
from PIL import Image

from legio.attachments.pictures import LONGEST_SIDE, MOST_BYTES, fit
from legio.errors import Refused
from tests.attachments.pictures import picture, size_of


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_within_the_limits_stays_as_it_is(kind: str) -> None:
    content = picture(640, 480, kind=kind)
    fitted = fit(content)
    assert (fitted.media_type, fitted.data) == (f"image/{kind.lower()}", content)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP", "TIFF"])
def test_a_large_picture_is_shrunk_to_the_longest_side(kind: str) -> None:
    fitted = fit(picture(4000, 1000, kind=kind))
    assert size_of(fitted.data) == (LONGEST_SIDE, 392)
    assert fitted.media_type == "image/jpeg"


def test_what_shines_through_still_does() -> None:
    fitted = fit(picture(3000, 3000, mode="RGBA"))
    assert fitted.media_type == "image/png"
    assert size_of(fitted.data) == (LONGEST_SIDE, LONGEST_SIDE)


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_what_is_too_large_in_bytes_is_written_smaller(mode: str) -> None:
    noise = Image.frombytes(mode, (1200, 1200), random.Random(7).randbytes(1200 * 1200 * len(mode)))
    drawn = io.BytesIO()
    noise.save(drawn, "PNG")
    fitted = fit(drawn.getvalue())
    assert len(drawn.getvalue()) > MOST_BYTES >= len(fitted.data)
    assert (fitted.media_type, size_of(fitted.data)) == ("image/jpeg", (1200, 1200))


def test_a_picture_taken_sideways_stands_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    fitted = fit(picture(300, 100, kind="JPEG", exif=exif.tobytes()))
    assert size_of(fitted.data) == (100, 300)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_one_whose_end_is_missing_is_refused(kind: str) -> None:
    content = picture(600, 600, kind=kind)
    with pytest.raises(Refused, match="broken"):
        fit(content[: len(content) // 2])


@pytest.mark.parametrize("content", [b"", b"no picture", b"%!PS-Adobe\n%%EOF", b"<svg/>"])
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(Refused, match="no picture that can be read"):
        fit(content)


def bomb(side: int) -> bytes:
    """A PNG of some hundred bytes that unfolds to `side` times `side` pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = side.to_bytes(4, "big") * 2 + b"\x01\x00\x00\x00\x00"
    body = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [10_000, 40_000])
def test_a_bomb_is_refused_before_it_is_unfolded(side: int) -> None:
    with pytest.raises(Refused, match="too many pixels"):
        fit(bomb(side))
