"""What a caller said, in any of the ways the Bot API takes it: query, JSON, form or multipart.

A value becomes what it should be when a method asks for it, or is refused there; unknown ones are ignored, as
Telegram ignores them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from legio.local.botapi.files import Upload
from legio.local.botapi.wire import Refusal, Wire, bad_request

BODY_BYTES = 50 * 1024 * 1024
FIELD_BYTES = 1024 * 1024
TRUE = frozenset({"true", "1", "yes", "y", "t"})


@dataclass(frozen=True, slots=True)
class Parameters:
    """The arguments of one call, and the files that came with it."""

    values: Mapping[str, object] = field(default_factory=dict)
    uploads: Mapping[str, Upload] = field(default_factory=dict)

    def string(self, name: str) -> str:
        """The text of `name`, or an empty one. A number stands for its digits."""
        value = self.values.get(name)
        return "" if value is None else value if isinstance(value, str) else json.dumps(value)

    def integer(self, name: str, default: int = 0) -> int:
        """The number `name`. Raises `Refusal` for what is none."""
        value = self.values.get(name)
        if value is None or value == "":
            return default
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        try:
            return int(str(value))
        except ValueError:
            raise bad_request(f"invalid {name} specified") from None

    def flag(self, name: str) -> bool:
        """Whether `name` is set to true."""
        return self.string(name).lower() in TRUE

    def mapping(self, name: str) -> Wire | None:
        """The JSON object `name`, or None."""
        value = self._json(name)
        if value is not None and not isinstance(value, dict):
            raise bad_request(f'can\'t parse "{name}": expected an Object')
        return value

    def sequence(self, name: str) -> list[Any] | None:
        """The JSON array `name`, or None."""
        value = self._json(name)
        if value is not None and not isinstance(value, list):
            raise bad_request(f'can\'t parse "{name}": expected an Array')
        return value

    def _json(self, name: str) -> object:
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        return _parsed(value) if value else None


async def read(request: Request) -> Parameters:
    """The arguments of an HTTP request. Raises `Refusal`: 400 if they cannot be read, 413 above 50 MB."""
    values: dict[str, object] = dict(request.query_params)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if int(request.headers.get("content-length") or 0) > BODY_BYTES + FIELD_BYTES:
        raise Refusal(413, "Request Entity Too Large")
    if kind == "application/json":
        body = _parsed((await request.body()).decode("utf-8", "replace") or "{}")
        if not isinstance(body, dict):
            raise bad_request("can't parse JSON object")
        return Parameters(values | body)
    if kind in {"multipart/form-data", "application/x-www-form-urlencoded"}:
        return await _form(request, values)
    return Parameters(values)


async def _form(request: Request, values: dict[str, object]) -> Parameters:
    uploads: dict[str, Upload] = {}
    try:
        async with request.form(max_part_size=FIELD_BYTES) as form:
            for name, value in form.multi_items():
                if isinstance(value, UploadFile):
                    uploads[name] = await _received(value)
                else:
                    values[name] = value
    except HTTPException as error:
        raise bad_request(f"can't parse multipart body: {error.detail}") from None
    return Parameters(values, uploads)


async def _received(file: UploadFile) -> Upload:
    data = await file.read()
    if len(data) > BODY_BYTES:
        raise Refusal(413, "Request Entity Too Large")
    return Upload(file.filename or "file", data, file.content_type or "")


def _parsed(text: str) -> Any:  # noqa: ANN401  (JSON is what its sender made it)
    try:
        return json.loads(text)
    except ValueError:
        raise bad_request("can't parse JSON object") from None
