"""Pictures of the page for those who read about it: small, and only where SCREENSHOTS names their folder."""

import io
import os
from pathlib import Path

from PIL import Image

from tests.browser.browsing import LIGHTS, Visit

COLOURS = 96
PLAIN_SIGNS = r"""() => {
    const plain = { "✅": "✔", "⏹": "■", "🔁": "↻" };
    const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const { currentNode: node } = walk;
        node.data = node.data.replace(/⏹|\p{Emoji_Presentation}/gu, (sign) => plain[sign] ?? "•");
    }
}"""
"""Where pictures are taken there may be no font for emoji."""


async def keep(visited: Visit, name: str) -> None:
    """What is seen now as `name`-WIDTH-LIGHT.png, in both lights."""
    folder, size = os.environ.get("SCREENSHOTS"), visited.page.viewport_size
    if not folder or not size:
        return
    await visited.page.evaluate(PLAIN_SIGNS)
    for light in LIGHTS:
        await visited.page.emulate_media(color_scheme=light)
        taken = await visited.page.screenshot()
        (Path(folder) / f"{name}-{size['width']}-{light}.png").write_bytes(small(taken))


def small(picture: bytes) -> bytes:
    """The same picture as PNG in few colours."""
    found = io.BytesIO()
    drawn = Image.open(io.BytesIO(picture)).convert("RGB")
    drawn.quantize(COLOURS, dither=Image.Dither.NONE).save(found, "PNG", optimize=True)
    return found.getvalue()
