"""Pictures as the model takes them: of a kind it knows, small enough, and sound.

Pillow is imported when the first picture comes, for it takes its time and memory, and works in a thread. A
picture that is broken, or that would fill the memory when it is unfolded, is refused.
"""

import io
import warnings
from typing import TYPE_CHECKING, Final

from legio.errors import Refused
from legio.ports import Picture

if TYPE_CHECKING:
    from PIL import Image

LONGEST_SIDE: Final = 1568
"""In pixels; what is larger the model's server shrinks itself, and slowly
(https://docs.anthropic.com/en/docs/build-with-claude/vision)."""
MOST_BYTES: Final = 1_000_000
"""The API takes 5 MB of base64 an image, and 32 MB a request, in which those of earlier turns stand."""
KNOWN: Final = {"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "WEBP": "image/webp"}
"""What the model takes as it is; what else Pillow reads here is written anew."""
_READ: Final = (*KNOWN, "BMP", "TIFF")
_QUALITIES: Final = (85, 60, 35)
_ORIENTATION: Final = 0x0112


def fit(content: bytes) -> Picture:
    """The picture in `content`, within the model's limits. Raises `Refused`, saying why, if it is none."""
    from PIL import Image

    warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
    try:
        with Image.open(io.BytesIO(content), formats=_READ) as image:
            return _fitted(image, content)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise Refused("it has too many pixels to be unfolded.", remedy="Send it smaller.") from error
    except Exception as error:  # Pillow raises what it likes for a file that is broken
        raise Refused("it is broken, or no picture that can be read.", remedy="Send it anew.") from error


def _fitted(image: "Image.Image", content: bytes) -> Picture:
    kind = KNOWN.get(image.format or "")
    upright = image.getexif().get(_ORIENTATION, 1) == 1
    if kind and upright and max(image.size) <= LONGEST_SIDE and len(content) <= MOST_BYTES:
        image.load()  # the end of it may be missing
        return Picture(kind, content)
    return _written(_shrunk(image))


def _shrunk(image: "Image.Image") -> "Image.Image":
    from PIL import Image, ImageOps

    image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # a JPEG can be unfolded to a part of its size at once
    turned = ImageOps.exif_transpose(image)
    clear = turned.mode in ("RGBA", "LA", "PA") or "transparency" in turned.info
    plain = turned.convert("RGBA" if clear else "RGB")
    plain.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    return plain


def _written(image: "Image.Image") -> Picture:
    if image.mode == "RGBA":
        drawn = io.BytesIO()
        image.save(drawn, "PNG")
        if drawn.tell() <= MOST_BYTES:
            return Picture("image/png", drawn.getvalue())
    for quality in _QUALITIES:
        drawn = io.BytesIO()
        image.convert("RGB").save(drawn, "JPEG", quality=quality)
        if drawn.tell() <= MOST_BYTES:
            break
    return Picture("image/jpeg", drawn.getvalue())
