"""Updates pushed to the bot: one after the other, each until it is taken, to this machine alone."""

import asyncio
import contextlib
import ipaddress
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import SplitResult, urlsplit

from legio.local.botapi.updates import UpdateQueue
from legio.local.botapi.wire import Wire, bad_request
from legio.ports import Clock

SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  (a header's name)
ANSWER_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Target:
    """Where updates go. Made by `target`, which checks it."""

    url: str
    secret: str = ""


def target(url: str, secret: str) -> Target:
    """Checked: http to loopback, for Caesar's words shall not leave the machine; raises `Refusal`."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not _is_loopback(parts.hostname or ""):
        raise bad_request("bad webhook: this server delivers over http to this machine only")
    if not _has_port(parts):
        raise bad_request("bad webhook: there is no such port")
    if secret and not SECRET.fullmatch(secret):
        raise bad_request("secret token contains unallowed characters")
    return Target(url, secret)


class Webhook:
    """The delivery to the target, while there is one."""

    def __init__(self, queue: UpdateQueue, clock: Clock, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._answer_seconds = answer_seconds
        self._queue = queue
        self._clock = clock
        self._target: Target | None = None
        self._task: asyncio.Task[None] | None = None
        self._failure: tuple[datetime, str] | None = None

    @property
    def active(self) -> bool:
        """Whether updates are pushed."""
        return self._target is not None

    async def start(self, chosen: Target) -> None:
        """Delivers to the target from now on, instead of the one before."""
        await self.stop()
        self._target = chosen
        self._task = asyncio.create_task(self._deliver(chosen), name="webhook")

    async def stop(self) -> None:
        """Idempotent; nothing is sent afterwards, and what was not delivered stays queued."""
        task, self._task, self._target, self._failure = self._task, None, None, None
        if task:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.result()

    def info(self) -> Wire:
        """Telegram's WebhookInfo."""
        info: Wire = {
            "url": self._target.url if self._target else "",
            "has_custom_certificate": False,
            "pending_update_count": len(self._queue.pending),
        }
        if self._queue.allowed:
            info["allowed_updates"] = list(self._queue.allowed)
        if self._failure:
            moment, reason = self._failure
            info |= {"last_error_date": int(moment.timestamp()), "last_error_message": reason}
        return info

    async def _deliver(self, chosen: Target) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            if not (pending := self._queue.pending):
                await self._queue.news.wait()
                continue
            failure = await _post(chosen, pending[0], self._answer_seconds)
            if not failure:
                self._queue.discard(pending[0]["update_id"])
                pause = FIRST_PAUSE_SECONDS
                continue
            self._failure = (self._clock.now(), failure)
            await self._clock.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)


async def _post(chosen: Target, update: Wire, seconds: float) -> str:
    """Hands one update over; what went wrong, or an empty string once it was answered with 2xx."""
    parts = urlsplit(chosen.url)
    try:
        async with asyncio.timeout(seconds):
            status = await _status(parts, _request(parts, chosen.secret, update))
    except TimeoutError:
        return "Read timeout expired"
    except OSError as error:
        return f"Connection failed: {error.strerror or error}"
    except ValueError:
        return "Wrong response from the webhook: it is no HTTP"
    return "" if 200 <= status < 300 else f"Wrong response from the webhook: {status}"


async def _status(parts: SplitResult, request: bytes) -> int:
    """One request over a connection of its own, and the status of its answer."""
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
    try:
        writer.write(request)
        await writer.drain()
        _, status, *_ = (await reader.readline()).split()
        return int(status)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _request(parts: SplitResult, secret: str, update: Wire) -> bytes:
    body = json.dumps(update).encode()
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines: Sequence[str] = (
        f"POST {path} HTTP/1.1",
        f"Host: {parts.netloc.rpartition('@')[2]}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *((f"{SECRET_HEADER}: {secret}",) if secret else ()),
    )
    return "\r\n".join((*lines, "", "")).encode() + body


def _has_port(parts: SplitResult) -> bool:
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
