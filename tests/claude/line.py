"""A real agent on the embedded model: the real SDK, its real CLI, and a scripted recruit."""

import uuid
from pathlib import Path

from legio.claude.agent import Line
from legio.ports import Brief, Request, Tool


def line(url: str, *, max_retries: int = 0) -> Line:
    return Line(
        base_url=url,
        credential=("ANTHROPIC_API_KEY", "scripted"),
        max_retries=max_retries,
        first_byte_seconds=20,
        stall_seconds=20,
        turn_seconds=60,
    )


async def allow(_: Request) -> bool:
    return True


def brief(folder: Path, *tools: Tool, name: str = "vorenus", prompt: str = "You serve.") -> Brief:
    home, workspace = folder / "home", folder / "workspace"
    home.mkdir(exist_ok=True)
    workspace.mkdir(exist_ok=True)
    return Brief(
        name=name,
        system_prompt=f'<agent name="{name}"/>\n\n{prompt}\n',
        servers={f"memoria_{name}": tools},
        workspace=workspace,
        home=home,
        approve=allow,
        history_window=50,
        thread=str(uuid.uuid4()),
    )


def asked(text: str) -> str:
    return f'<message from="caesar" id="1" audience="vorenus">{text}</message>'
