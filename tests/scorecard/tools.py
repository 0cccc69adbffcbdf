"""A tool of Legio's own raises, hangs, outlasts the turn or is cancelled; the agent and its tools live on."""

import time
from pathlib import Path

from legio.local.model import Answer, ToolUse
from legio.local.model.conversation import Deed, read_conversation
from tests.scenes import until
from tests.scorecard.model import BOUNDS, GROUP, RECOVERY_SECONDS, requests, scripted, texts
from tests.scorecard.scenario import Figures, Scenario
from tests.scorecard.wired import Wired, wired

PUBLISH, LIST = "mcp__memoria_vorenus__publish_actum", "mcp__memoria_vorenus__list_acta"
UNUSABLE = (
    "acta: this cannot be used (Not a directory). Check its folder, its permissions and the free space;"
    " links and pipes are not followed."
)
UNREACHED = "⛔ pullo: the model could not be reached. Look at the network, then write again."
TOO_LONG = "⛔ legatus: the turn took longer than it may, so it was ended. Ask for less at once."
STOPPED = "⏹ legatus: stopped."


async def raises(folder: Path) -> Figures:
    """The memoria cannot be written; the agent is told, and its tools work as soon as it can be again."""
    async with wired(folder) as site:
        acta, aside = site.station.castra.acta, site.station.castra.root / "acta.aside"
        async with site.legio("vorenus", **BOUNDS):
            acta.rename(aside)
            acta.write_text("a file where a folder was", encoding="utf-8")
            broken = await _called(site, ToolUse(PUBLISH, {"title": "ford", "text": "deep"}))
            acta.unlink()
            aside.rename(acta)
            begun = time.monotonic()
            well = await _called(site, ToolUse(PUBLISH, {"title": "ford", "text": "deep"}))
            recovery = time.monotonic() - begun
        assert (broken.failed, broken.text) == (True, UNUSABLE)
        assert not well.failed, well
        return await site.load.figures(tries=1, recovery=recovery, note="the agent was told, and answered")


async def hangs(folder: Path) -> Figures:
    """A dispatch to a centurio whose model never answers: the Legatus is told why, and answers."""
    async with wired(folder) as site:
        async with site.legio("legatus", "pullo", **BOUNDS):
            mark = site.load.dispatch("pullo", rule="hang 99 times then")
            took = await site.replied(mark, seconds=10)
            assert UNREACHED in texts(site, mark)[0]
            recovery = await _dispatched(site)
        note = f"the Legatus answered after {took:.1f} s of 10"
        return await site.load.figures(tries=1, recovery=recovery, note=note)


async def outlasts(folder: Path) -> Figures:
    """A dispatch that takes longer than the turn may: both turns are ended, and Caesar is told."""
    patient = {"LEGIO_CLAUDE_STALL_SECONDS": "60", "LEGIO_CLAUDE_FIRST_BYTE_SECONDS": "60"}
    async with wired(folder) as site:
        async with site.legio("legatus", "pullo", **patient, LEGIO_CLAUDE_TURN_SECONDS="5"):
            mark = site.load.dispatch("pullo", rule="slow 60 then")
            took = await site.replied(mark, seconds=8)
            assert texts(site, mark) == [TOO_LONG], texts(site, mark)
            recovery = await _dispatched(site)
        note = f"told after {took:.1f} s of 8"
        return await site.load.figures(tries=1, recovery=recovery, note=note)


async def cancelled(folder: Path) -> Figures:
    """Caesar stops a dispatch in its middle; the same tool serves the next one."""
    tries, took, recovery = 3, 0.0, 0.0
    async with wired(folder) as site:
        async with site.legio("legatus", "pullo", **BOUNDS):
            for _ in range(tries):
                took = max(took, await _stopped(site))
                recovery = max(recovery, await _dispatched(site))
        note = f"told after {took:.1f} s of 5"
        return await site.load.figures(tries=tries, recovery=recovery, note=note)


async def _stopped(site: Wired) -> float:
    """Seconds until Caesar's stop has ended a dispatch that was at the centurio's model."""
    mark = site.load.dispatch("pullo", rule="slow 60 then")
    await until(lambda: requests(site, mark, of="pullo"), what="a dispatch at the model")
    site.station.telegram.say("/stop")
    took = await site.replied(mark, seconds=5)
    assert texts(site, mark) == [STOPPED], texts(site, mark)
    return took


async def _dispatched(site: Wired) -> float:
    """Seconds until the next dispatch to the same centurio is answered with his words."""
    mark = site.load.dispatch("pullo")
    took = await site.settled()
    (answer,) = texts(site, mark)
    assert f"pullo answered: {mark}" in answer, answer
    return took


async def _called(site: Wired, use: ToolUse) -> Deed:
    """Vorenus calls a tool for Caesar's sake and answers; what came of the call."""
    mark = site.load.say("vorenus")
    scripted(site, mark, Answer(calls=(use,)), deeds=0)
    await site.settled()
    assert mark in texts(site, mark)[0]
    return read_conversation(requests(site, mark)[-1]).deeds[-1]


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(GROUP, "a tool that raises", raises, RECOVERY_SECONDS),
    Scenario(GROUP, "a tool that hangs", hangs, RECOVERY_SECONDS),
    Scenario(GROUP, "a tool that outlasts the turn", outlasts, RECOVERY_SECONDS),
    Scenario(GROUP, "a tool that is cancelled", cancelled, RECOVERY_SECONDS, quick=True),
)
