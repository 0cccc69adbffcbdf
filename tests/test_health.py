"""What the doctor finds: each thing well, each thing ill with its remedy, and nothing touched."""

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.config import Credential, Secrets, TelegramConfig
from legio.errors import CastraError, LegioError
from legio.health import HEARTBEAT_SECONDS, health
from legio.praetorium.lock import hold

TOKEN = "123456:" + "A" * 35
NOBODY = TelegramConfig(caesar_id=77, base_url="http://127.0.0.1:9/bot")
SECRETS = Secrets(TOKEN, Credential("ANTHROPIC_API_KEY", "k"))


def test_a_legio_that_hears_is_alive(tmp_path: Path) -> None:
    with hold(Castra(tmp_path).lock):
        said = health(tmp_path)
    assert said == f"Legio (pid {os.getpid()}) is alive; it heard from Telegram 0 s ago."


def test_a_legio_that_hears_nothing_is_not(tmp_path: Path) -> None:
    lock = Castra(tmp_path).lock
    with hold(lock):
        long_ago = time.time() - HEARTBEAT_SECONDS - 5
        os.utime(lock, (long_ago, long_ago))
        with pytest.raises(LegioError, match=r"has not heard from Telegram for 65 s\. Look at its log"):
            health(tmp_path)


def test_a_lock_that_nobody_holds_is_no_legio(tmp_path: Path) -> None:
    with hold(Castra(tmp_path).lock):
        pass
    with pytest.raises(LegioError, match=r"no Legio is running\. Start it with `legio run`\."):
        health(tmp_path)


def test_a_lock_that_cannot_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "castra").write_text("a file")
    with pytest.raises(CastraError, match=r"the lock cannot be looked at \(Not a directory\)"):
        health(tmp_path / "castra")


@contextlib.contextmanager
def console(answer: bytes) -> Iterator[int]:
    """Something that answers each request on a port with `answer`, in a thread of its own."""

    class Told(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/readyz" else 404)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Told) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def told(pid: int, *reasons: str) -> bytes:
    return json.dumps({"ready": not reasons, "reasons": reasons, "pid": pid}).encode()


def test_what_its_console_complains_of_is_said(tmp_path: Path) -> None:
    ill = told(os.getpid(), "This is ill.", "That too.")
    with hold(Castra(tmp_path).lock), console(ill) as port, pytest.raises(LegioError) as raised:
        health(tmp_path, port=port)
    assert str(raised.value) == f"{tmp_path}: Legio (pid {os.getpid()}) is not well. This is ill. That too."


def silent_health(root: Path, answer: bytes) -> str:
    """Health of a Legio whose heart has not beaten for long, and whose console says this."""
    lock = Castra(root).lock
    with hold(lock), console(answer) as port:
        os.utime(lock, (1, 1))
        return health(root, port=port)


def test_a_console_that_complains_of_nothing_is_believed(tmp_path: Path) -> None:
    assert "is alive" in silent_health(tmp_path, told(os.getpid()))


@pytest.mark.parametrize(
    "answer", [told(1), b"no JSON", b"[]", b'{"pid": 1}'], ids=["another", "text", "list", "less"]
)
def test_whoever_else_answers_there_is_not(tmp_path: Path, answer: bytes) -> None:
    with pytest.raises(LegioError, match="has not heard from Telegram"):
        silent_health(tmp_path, answer)


def test_without_a_console_the_heart_alone_counts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with hold(Castra(tmp_path).lock):
        assert "is alive" in health(tmp_path, port=port)
