"""A memoria over a castra with two posts, and the clock that dates its documents."""

from pathlib import Path

import pytest

from legio.castra import Castra
from legio.memoria.store import FileMemoria
from tests.clocks import FakeClock


@pytest.fixture
def castra(tmp_path: Path) -> Castra:
    castra = Castra(tmp_path / "castra")
    castra.post("vorenus").mkdir(parents=True)
    castra.post("legatus").mkdir()
    return castra


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memoria(castra: Castra, clock: FakeClock) -> FileMemoria:
    return FileMemoria(castra, clock)
