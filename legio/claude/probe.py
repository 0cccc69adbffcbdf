"""Whether the model's provider accepts the credential, asked at the start by a call that costs nothing.

Only a plain refusal counts: whoever is down, or does not know the call, says nothing about the credential.
"""

import asyncio
from http import HTTPStatus
from typing import TypeAlias

import httpx
import structlog

from legio.claude.agent import Line
from legio.events import Fault

log = structlog.get_logger()

PROVIDER = "https://api.anthropic.com"
VERSION = "2023-06-01"
OAUTH = "oauth-2025-04-20"
"""What the CLI sends as `anthropic-beta` when it is logged in by an OAuth token."""
MODEL = "claude-haiku-4-5"
"""Named where the configuration names none; a refusal of the credential comes before that of a model."""
ANSWER_SECONDS = 10.0

Verdict: TypeAlias = Fault | None


async def probe(line: Line, model: str | None, *, seconds: float = ANSWER_SECONDS) -> Verdict:
    """Why the credential is refused, or None. Never raises, and takes no longer than `seconds`."""
    url = f"{line.base_url or PROVIDER}/v1/messages/count_tokens"
    body = {"model": model or MODEL, "messages": [{"role": "user", "content": "ave"}]}
    try:
        # To load the certificates takes longer than the whole call, and loopback has none.
        async with (
            asyncio.timeout(seconds),
            httpx.AsyncClient(timeout=seconds, verify=url.startswith("https:")) as client,
        ):
            answer = await client.post(url, json=body, headers=headers(line))
    except (httpx.HTTPError, TimeoutError) as error:
        log.warning("model.unreachable", url=url, error=f"{type(error).__name__}: {error}")
        return None
    verdict = _verdict(line, answer.status_code)
    say = log.error if verdict else log.info
    say("model.probed", status=answer.status_code, verdict=verdict)
    return verdict


def headers(line: Line) -> dict[str, str]:
    """What a call over that line bears: the version, and the credential as the provider wants it."""
    borne = {"anthropic-version": VERSION}
    match line.credential:
        case ("ANTHROPIC_API_KEY", value):
            borne["x-api-key"] = value
        case ("ANTHROPIC_AUTH_TOKEN", value):
            borne["authorization"] = f"Bearer {value}"
        case (_, value):
            borne |= {"authorization": f"Bearer {value}", "anthropic-beta": OAUTH}
        case None:
            pass
    return borne


def _verdict(line: Line, status: int) -> Verdict:
    if status == HTTPStatus.UNAUTHORIZED:
        return Fault.CREDENTIAL
    # A login may be kept from counting tokens and still be good for a conversation.
    login = line.credential is not None and line.credential[0] == "CLAUDE_CODE_OAUTH_TOKEN"
    return Fault.FORBIDDEN if status == HTTPStatus.FORBIDDEN and not login else None
