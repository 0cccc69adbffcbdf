from dataclasses import replace
from pathlib import Path

from legio.claude.transcript import holds, spent
from tests.claude.line import brief


def write(folder: Path, thread: str, *lines: str) -> None:
    path = folder / "home" / "projects" / "-workspace" / f"{thread}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))


def test_the_last_total_counts_and_a_torn_last_line_does_not_hurt(tmp_path: Path) -> None:
    resumed = replace(brief(tmp_path), resume=True)
    write(
        tmp_path,
        resumed.thread,
        '{"type":"cost-state","totalCostUSD":0.25}',
        '{"type":"user","message":"hello"}',
        '{"type":"cost-state","totalCostUSD":0.5}',
    )
    assert spent(resumed) == 0.5


def test_what_is_no_total_is_none(tmp_path: Path) -> None:
    resumed = replace(brief(tmp_path), resume=True)
    write(tmp_path, resumed.thread, '{"type":"cost-state","totalCostUSD":"much"}')
    assert spent(resumed) == 0.0
    write(tmp_path, resumed.thread, '{"type":"cost-state","total')
    assert spent(resumed) == 0.0


def test_a_new_thread_has_cost_nothing_and_holds_nothing(tmp_path: Path) -> None:
    new = brief(tmp_path)
    assert spent(new) == 0.0
    assert not holds(new, "anything")


def test_a_text_that_was_given_is_recalled(tmp_path: Path) -> None:
    resumed = replace(brief(tmp_path), resume=True)
    write(tmp_path, resumed.thread, '{"type":"user","message":"<message id=\\"abc-1\\">ave</message>"}')
    assert holds(resumed, "abc-1")
    assert not holds(resumed, "abc-2")
