"""Sound put into words by a command of Caesar's own: run without a shell, bounded in time and output."""

import asyncio
import contextlib
import os
import shlex
import signal
from typing import Final

from legio.attachments import Depot
from legio.errors import Refused

FILE: Final = "{file}"
SECONDS: Final = 180.0
MOST_BYTES: Final = 100_000
"""Some hours of speech; more is no transcript."""
_END_SECONDS: Final = 5.0


class Transcriber:
    """Runs `command`, in which "{file}" stands for the sound's path; without a command it hears nothing."""

    def __init__(self, command: str | None, depot: Depot, *, seconds: float = SECONDS) -> None:
        self._words = shlex.split(command) if command else []
        self._depot = depot
        self._seconds = seconds

    async def words(self, place: str) -> str:
        """What is said in the file at `place`. Raises `LegioError` with the reason why it was not heard."""
        if not self._words:
            raise Refused(
                "there is no command for it.", remedy="Name one in legio.toml: [telegram] transcribe."
            )
        path = str(self._depot.path(place))
        try:
            process = await asyncio.create_subprocess_exec(
                *(word.replace(FILE, path) for word in self._words),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise Refused(
                f"'{self._words[0]}' could not be started ({error.strerror}).",
                remedy="Look at [telegram] transcribe.",
            ) from error
        try:
            async with asyncio.timeout(self._seconds):
                return await self._heard(process)
        except TimeoutError as error:
            raise Refused(f"'{self._words[0]}' took longer than {self._seconds:g} s.") from error
        finally:
            await _end(process)

    async def _heard(self, process: asyncio.subprocess.Process) -> str:
        assert process.stdout is not None
        output = b""
        while len(output) <= MOST_BYTES and (piece := await process.stdout.read(MOST_BYTES)):
            output += piece
        if len(output) > MOST_BYTES:
            raise Refused(f"'{self._words[0]}' did not come to an end.")
        code = await process.wait()
        if code != 0:
            raise Refused(f"'{self._words[0]}' failed with exit code {code}.")
        text = output.decode("utf-8", "replace").strip()
        if not text:
            raise Refused(f"'{self._words[0]}' heard no word in it.")
        return text


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill it with all that it has started; its pipe is read dry, or its end would never be told."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_END_SECONDS):
            await process.communicate()
