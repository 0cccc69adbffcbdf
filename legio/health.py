"""Whether the running Legio of a castra is well, seen from outside of it: by its lock and by its console."""

import time
from pathlib import Path

import httpx

from legio.castra import Castra
from legio.errors import CastraError, LegioError
from legio.praetorium.lock import holder

HEARTBEAT_SECONDS = 60.0
"""A running Legio hears from Telegram every ten seconds; after this long without a sign it is not well."""
ANSWER_SECONDS = 6.0
"""How long its console may take to answer; it gives up looking after five itself."""


def health(castra: Path, *, port: int = 0) -> str:
    """A sentence about the running Legio of this castra; raises `LegioError` when none runs, or it is ill.

    Its console at `port` is asked what it complains of. A Legio that has none, or hangs and cannot say so, is
    judged by how long it has been silent.
    """
    lock = Castra(castra).lock
    try:
        pid = holder(lock)
        silent = time.time() - lock.stat().st_mtime if pid else 0.0
    except OSError as error:
        raise CastraError(
            f"the lock cannot be looked at ({error.strerror}).",
            where=str(lock),
            remedy="Look as the user who runs Legio, and at `castra` in legio.toml.",
        ) from error
    if pid is None:
        raise LegioError("no Legio is running.", where=str(castra), remedy="Start it with `legio run`.")
    complaints = _complaints(pid, port) if port else None
    if complaints:
        raise LegioError(f"Legio (pid {pid}) is not well.", where=str(castra), remedy=" ".join(complaints))
    if complaints is None and silent > HEARTBEAT_SECONDS:
        raise LegioError(
            f"Legio (pid {pid}) has not heard from Telegram for {silent:.0f} s.",
            where=str(castra),
            remedy="Look at its log and at the network; restart it if this stays.",
        )
    return f"Legio (pid {pid}) is alive; it heard from Telegram {silent:.0f} s ago."


def _complaints(pid: int, port: int) -> tuple[str, ...] | None:
    """What the console complains of; None where nobody answers, or another Legio does."""
    try:
        with httpx.Client(timeout=ANSWER_SECONDS, trust_env=False, verify=False) as client:  # noqa: S501
            told = client.get(f"http://127.0.0.1:{port}/readyz").json()
    except (httpx.HTTPError, ValueError):
        return None
    match told:
        case {"pid": int(teller), "reasons": [*reasons]} if teller == pid:
            return tuple(str(reason) for reason in reasons)
        case _:
            return None
