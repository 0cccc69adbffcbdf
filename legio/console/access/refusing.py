"""How the console says no: a status and words for whoever asked, one line in the log, no secret in either."""

from collections.abc import Mapping
from math import ceil
from typing import Final

import structlog
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from legio.console.access.doors import address
from legio.errors import Refused

log = structlog.get_logger()

FORBIDDEN: Final = 403
TOO_MANY: Final = 429
LONGEST_PATH: Final = 200


class Denied(Refused):
    """One may not enter, or not now. `reason` is for the log; `wait` seconds, where that would help."""

    def __init__(self, reason: str, what: str, *, remedy: str = "", wait: float = 0.0) -> None:
        super().__init__(what, remedy=remedy)
        self.reason = reason
        self.wait = wait


def refused(scope: Scope, denied: Denied, status: int = FORBIDDEN) -> Response:
    """The answer to one that was refused; whoever has to wait is told for how long."""
    noted(scope, denied.reason)
    headers: Mapping[str, str] = {}
    if denied.wait > 0:
        status, headers = TOO_MANY, {"Retry-After": str(ceil(denied.wait))}
    return JSONResponse({"error": str(denied)}, status, headers=headers)


def noted(scope: Scope, reason: str) -> None:
    """Somebody was refused: why, where, and from where; what he brought is written nowhere."""
    path = ascii(scope["path"][:LONGEST_PATH])[1:-1]  # a stranger's: no line's end, no colours of a terminal
    log.warning("console.refused", reason=reason, method=scope["method"], path=path, client=address(scope))
