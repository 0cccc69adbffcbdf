"""Pictures made for scenes."""

import io

from PIL import Image


def picture(width: int, height: int, *, kind: str = "PNG", mode: str = "RGB", **more: object) -> bytes:
    """A picture that shows a gradient, so that it does not shrink to nothing when it is written."""
    image = Image.linear_gradient("L").resize((width, height)).convert(mode)
    drawn = io.BytesIO()
    image.save(drawn, kind, **more)
    return drawn.getvalue()


def size_of(content: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(content)) as image:
        return image.size
