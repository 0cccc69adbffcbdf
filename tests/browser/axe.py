"""What axe-core finds wrong with a page for people who see, hear or move differently.

The source is handed over the debugger's line, where the page's Content-Security-Policy does not reach, and
looks at the page in both lights.
"""

import functools
from importlib.resources import files
from typing import Any, Literal

from playwright.async_api import Page

GRAVE = ("serious", "critical")
LIGHTS: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
RUN = """(grave) => axe.run(document, { preload: false, resultTypes: ["violations"] }).then((found) =>
    found.violations.filter((it) => grave.includes(it.impact)))"""
DARK = "matchMedia('(prefers-color-scheme: dark)').matches"


async def faults(page: Page) -> list[str]:
    """The serious and critical faults of what is shown now, one sentence each; none when it is well."""
    before = LIGHTS[await page.evaluate(DARK)]
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(source())
    found: list[str] = []
    for light in LIGHTS:
        await page.emulate_media(color_scheme=light)
        found += [f"{light}: {fault}" for it in await page.evaluate(RUN, GRAVE) for fault in _told(it)]
    await page.emulate_media(color_scheme=before)
    return found


@functools.cache
def source() -> str:
    """axe-core itself, as its Python package ships it."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def _told(fault: dict[str, Any]) -> list[str]:
    """One sentence for each place that has the fault."""
    return [
        f"{fault['id']} ({fault['impact']}) at {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for node in fault["nodes"]
    ]
