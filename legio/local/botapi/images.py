"""How large a picture is, read from its first bytes: PNG, JPEG, GIF and WebP. Pure.

Telegram refuses a photo that is none; what a picture shows is nobody's business here.
"""

Size = tuple[int, int]

_PNG = b"\x89PNG\r\n\x1a\n"
_START_OF_FRAME = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


def dimensions(data: bytes) -> Size | None:
    """Width and height in pixels, or None if these bytes are no picture that Telegram takes."""
    if data.startswith(_PNG) and len(data) >= 24:
        return _big(data[16:20]), _big(data[20:24])
    if data[:6] in {b"GIF87a", b"GIF89a"} and len(data) >= 10:
        return _little(data[6:8]), _little(data[8:10])
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _webp(data)
    return None


def _big(part: bytes) -> int:
    return int.from_bytes(part, "big")


def _little(part: bytes) -> int:
    return int.from_bytes(part, "little")


def _jpeg(data: bytes) -> Size | None:
    """Walks the segments to the start of frame, which holds height and then width."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        if data[at + 1] in _START_OF_FRAME:
            return _big(data[at + 7 : at + 9]), _big(data[at + 5 : at + 7])
        at += 2 + _big(data[at + 2 : at + 4])
    return None


def _webp(data: bytes) -> Size | None:
    """The three kinds of WebP keep their size in three places (RFC 9649, sections 2.5 to 2.7)."""
    match data[12:16]:
        case b"VP8X":
            return _little(data[24:27]) + 1, _little(data[27:30]) + 1
        case b"VP8L":
            bits = _little(data[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
        case _:
            return None
