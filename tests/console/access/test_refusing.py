import json

import pytest
from structlog.testing import capture_logs

from legio.console.access.refusing import LONGEST_PATH, Denied, noted, refused
from legio.errors import Refused

SCOPE = {"type": "http", "method": "POST", "path": "/camp/x", "client": ("203.0.113.5", 1)}


def test_it_is_said_in_words_and_written_down_with_its_reason() -> None:
    denied = Denied("token", "This page is out of date.", remedy="Load it again.")
    with capture_logs() as logs:
        answer = refused(SCOPE, denied)
    assert isinstance(denied, Refused)
    assert (answer.status_code, json.loads(bytes(answer.body))) == (
        403,
        {"error": "This page is out of date. Load it again."},
    )
    assert logs == [
        {
            "event": "console.refused",
            "log_level": "warning",
            "reason": "token",
            "method": "POST",
            "path": "/camp/x",
            "client": "203.0.113.5",
        }
    ]


@pytest.mark.parametrize(("wait", "said"), [(0.2, "1"), (30.0, "30"), (59.1, "60")])
def test_who_has_to_wait_is_told_for_how_many_whole_seconds(wait: float, said: str) -> None:
    answer = refused(SCOPE, Denied("pace", "This is too fast.", wait=wait))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, said)


def test_what_a_stranger_writes_into_a_path_forges_no_line_of_the_log() -> None:
    with capture_logs() as logs:
        noted({**SCOPE, "path": "/x\nconsole.entered\x1b[31m \u202e"}, "host")
    assert logs[0]["path"] == "/x\\nconsole.entered\\x1b[31m \\u202e"


def test_a_path_without_end_is_cut() -> None:
    with capture_logs() as logs:
        noted({**SCOPE, "path": "/" + "x" * 10_000}, "host")
    assert len(logs[0]["path"]) == LONGEST_PATH
