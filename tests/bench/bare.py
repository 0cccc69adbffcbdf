"""What Legio is compared with, as a program of its own: the bare SDK, and a bot of a few lines over it.

`sdk` answers each line of its input with the seconds that the SDK took for it; `bot` answers on Telegram.
Both hold one client open, started with the very options that Legio starts a centurio with.
"""

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import ClaudeSDKClient, ResultMessage
from telegram import Update
from telegram.ext import Application, ApplicationBuilder, MessageHandler, filters

from legio import context
from legio.attachments import Sending, file_tools
from legio.castra import Castra
from legio.claude.agent import ClaudeAgent
from legio.clock import SystemClock
from legio.memoria.store import FileMemoria
from legio.memoria.tools import memoria_tools
from legio.ports import Search
from legio.roster import Roster
from legio.toolset import search_tools
from tests.bench.camp import TOKEN
from tests.claude.line import asked, brief, line

AGENT = "vorenus"


def client(folder: Path, model_url: str) -> ClaudeSDKClient:
    """A client of the agent's in the castra of `folder`, with its own home beside it."""
    castra = Castra(folder / "castra")
    prompt = Roster(castra).profile(AGENT).prompt
    ordered = replace(
        brief(folder, *memoria_tools(FileMemoria(castra, SystemClock()), AGENT), name=AGENT),
        system_prompt=context.system_prompt(context.prompt_parts(AGENT, prompt, ())),
    )
    more = {
        # Nothing calls them: what they would work with is not there.
        f"files_{AGENT}": file_tools(cast("Sending", None), AGENT),
        f"praetorium_{AGENT}": search_tools(cast("Search", None), AGENT),
    }
    ordered = replace(ordered, servers={**ordered.servers, **more})
    return ClaudeSDKClient(ClaudeAgent(ordered, line(model_url))._options())


async def answer(connected: ClaudeSDKClient, text: str) -> str:
    """One turn, heard to its end."""
    await connected.query(asked(text))
    async for message in connected.receive_response():
        if isinstance(message, ResultMessage):
            return message.result or ""
    raise EOFError("the CLI ended")


async def sdk(connected: ClaudeSDKClient) -> None:
    """Time the turns that are asked for, until the input ends."""
    async with connected:
        while text := (await asyncio.to_thread(sys.stdin.readline)).strip():
            began = time.monotonic()
            said = await answer(connected, text)
            seconds = time.monotonic() - began
            print(seconds if text in said else f"unexpected: {said}", flush=True)


def bot(connected: ClaudeSDKClient, base_url: str) -> None:
    """Answer every text, one after the other, until SIGTERM."""

    async def begin(_: Application[Any, Any, Any, Any, Any, Any]) -> None:
        await connected.connect()

    async def reply(update: Update, _: object) -> None:
        assert update.message is not None
        await update.message.reply_text(await answer(connected, update.message.text or ""))

    async def end(_: Application[Any, Any, Any, Any, Any, Any]) -> None:
        await connected.disconnect()

    builder = ApplicationBuilder().token(TOKEN).base_url(base_url).post_init(begin).post_shutdown(end)
    application = builder.build()
    application.add_handler(MessageHandler(filters.TEXT, reply))
    application.run_polling()


def main(kind: str, folder: str, model_url: str, base_url: str = "") -> None:
    """Be the candidate of that kind."""
    made = client(Path(folder), model_url)
    if kind == "sdk":
        asyncio.run(sdk(made))
    else:
        bot(made, base_url)


if __name__ == "__main__":
    main(*sys.argv[1:])
