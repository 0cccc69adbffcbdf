"""How Legio logs: one stream, one form, and no secret in it.

Lines are for a person on a terminal, JSON elsewhere. Everything that logs here, foreign libraries too, goes
through the same processors, of which the last but one takes every secret out. Which event has which name is
its caller's choice; ERROR means that somebody must act.
"""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TextIO
from urllib.parse import quote

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

REDACTED = "[redacted]"
OURS = "legio"

_PATTERNS = (
    (re.compile(r"\b(bot)\d+:[^/\s\"']+"), rf"\1{REDACTED}"),
    (re.compile(r"\b\d{6,}(?::|%3A)[A-Za-z0-9_-]{30,}", re.IGNORECASE), REDACTED),
    (re.compile(r"sk-ant-[A-Za-z0-9_-]+"), REDACTED),
    (re.compile(r"otpauth:\S+", re.IGNORECASE), REDACTED),
    (re.compile(r"\b(bearer)\s+[A-Za-z0-9._~+/=-]+", re.IGNORECASE), rf"\1 {REDACTED}"),
)
"""What a secret looks like where nobody told us of it: the model server's error may quote another's key."""


class _Handler(logging.StreamHandler[TextIO]):
    """The one handler; a class of its own, so that it is replaced and not doubled."""


def configure(*, json: bool, level: str, stream: TextIO, secrets: Iterable[str] = ()) -> None:
    """Log to `stream` from `level` ("debug" to "error") on; foreign libraries from WARNING on.

    May be called again, and then replaces what it set up; `secrets` are never written, whatever holds them.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        # A cached logger would keep what an earlier call set up.
        cache_logger_on_first_use=False,
    )
    handler = _Handler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.StackInfoRenderer(),
                structlog.processors.format_exc_info,
                redaction(secrets),
                _renderer(json=json, colors=stream.isatty()),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [other for other in root.handlers if not isinstance(other, _Handler)] + [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(logging.getLevelNamesMapping()[level.upper()])


def redaction(secrets: Iterable[str]) -> Processor:
    """A processor that takes the `secrets`, and all that has a secret's shape, out of an event."""
    clean = _redactor(secrets)

    def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {clean(name): _plain(value, clean) for name, value in event.items()}

    return redact


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without the `secrets` and without all that has a secret's shape."""
    return _redactor(secrets)(text)


def _redactor(secrets: Iterable[str]) -> Callable[[str], str]:
    # The longest first: one secret may hold another. A URL holds a secret percent-encoded.
    known = sorted({form for secret in secrets for form in (secret, quote(secret, safe=""))}, key=len)
    exact = re.compile("|".join(re.escape(form) for form in reversed(known) if form) or r"(?!)")

    def clean(text: str) -> str:
        text = exact.sub(REDACTED, text)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return text

    return clean


def _plain(value: object, clean: Callable[[str], str]) -> object:
    """`value` without secrets, and made of nothing that a renderer would turn into text after us."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return clean(value)
        case bytes():
            return clean(value.decode("utf-8", "replace"))
        case Mapping():
            return {clean(str(name)): _plain(item, clean) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item, clean) for item in value]
        case BaseException():
            return clean(f"{type(value).__name__}: {value}")
        case _:
            return clean(str(value))


def _renderer(*, json: bool, colors: bool) -> Processor:
    if json:
        return structlog.processors.JSONRenderer()
    # The exception is text by then, as redaction needs it so.
    return structlog.dev.ConsoleRenderer(
        colors=colors, exception_formatter=structlog.dev.plain_traceback, sort_keys=False
    )
