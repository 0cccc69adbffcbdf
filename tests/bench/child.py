"""A process of the bench: started with nothing inherited, measured from outside, and always ended."""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GOODBYE_SECONDS = 15.0
LOG_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Child:
    """A Python process. `started` is the monotonic time just before it was; `log` is what it complains to."""

    process: asyncio.subprocess.Process
    started: float
    log: Path

    async def exchange(self, line: str) -> str:
        """Write it a line and read its own."""
        reader, writer = self.process.stdout, self.process.stdin
        assert reader is not None
        assert writer is not None
        writer.write(f"{line}\n".encode())
        await writer.drain()
        return (await reader.readline()).decode().rstrip("\n")

    def resident(self) -> int:
        """Bytes of memory that are resident (VmRSS of Linux's /proc), the process's children not counted."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def complaint(self) -> str:
        """The end of its log."""
        return self.log.read_text()[-LOG_CHARACTERS:]


@contextlib.asynccontextmanager
async def child(*arguments: str, log: Path, environment: Mapping[str, str]) -> AsyncIterator[Child]:
    """`python -m` with these arguments while inside; told to end by SIGTERM, and killed if it does not."""
    with log.open("ab") as errors:
        started = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            *arguments,
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "HOME": str(log.parent), "LANG": "C.UTF-8", **environment},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
    try:
        yield Child(process, started, log)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.communicate(), GOODBYE_SECONDS)
        except TimeoutError:
            process.kill()
            await process.communicate()
