"""What goes over the wire: a JSON object, and how the Bot API says no.

The words are Telegram's own, because bots read them. Where they come from a rule of this server alone, they
say so.
"""

from typing import Any

Wire = dict[str, Any]


class Refusal(Exception):
    """The Bot API's no: an HTTP status, Telegram's words, and for a flood how many seconds to wait."""

    def __init__(self, code: int, description: str, *, retry_after: int | None = None) -> None:
        self.code = code
        self.description = description
        self.retry_after = retry_after
        super().__init__(description)

    def answer(self) -> Wire:
        """The JSON body that carries it."""
        body: Wire = {"ok": False, "error_code": self.code, "description": self.description}
        if self.retry_after is not None:
            body["parameters"] = {"retry_after": self.retry_after}
        return body


def bad_request(reason: str) -> Refusal:
    """The commonest refusal: the caller asked for what cannot be."""
    return Refusal(400, f"Bad Request: {reason}")


def unauthorized() -> Refusal:
    """A token that is not, or no longer, known."""
    return Refusal(401, "Unauthorized")


def conflict(reason: str) -> Refusal:
    """Two readers of one bot's updates."""
    return Refusal(409, f"Conflict: {reason}")


def too_many_requests(retry_after: int) -> Refusal:
    """A flood: the same call may succeed after `retry_after` seconds."""
    return Refusal(429, f"Too Many Requests: retry after {retry_after}", retry_after=retry_after)
