import stat
import tomllib
from pathlib import Path

import pytest

from legio.config import load
from legio.config.writing import with_caesar, write_caesar
from legio.errors import LegioError
from legio.templates import configuration


def read(text: str) -> object:
    return tomllib.loads(text.removeprefix("\ufeff"))["telegram"]["caesar_id"]


def test_the_line_stands_behind_the_comment_that_announces_it_and_nothing_else_changes() -> None:
    before = configuration()
    after = with_caesar(before, 77)
    (number,) = [n for n, line in enumerate(after.splitlines()) if line == "caesar_id = 77"]
    assert after.splitlines()[number - 1].startswith("# caesar_id = ")
    assert after.replace("caesar_id = 77\n", "", 1) == before
    assert read(after) == 77


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[telegram]\nbase_url = 'x'\n", "[telegram]\ncaesar_id = 77\nbase_url = 'x'\n"),
        ('[ "telegram" ] # mine', '[ "telegram" ] # mine\ncaesar_id = 77\n'),
        ("a = 1\r\n[telegram]\r\n[z]\r\n", "a = 1\r\n[telegram]\r\ncaesar_id = 77\r\n[z]\r\n"),
        ("", "\n[telegram]\ncaesar_id = 77\n"),
        ("a = 1", "a = 1\n\n[telegram]\ncaesar_id = 77\n"),
        ("\ufefftelegram.x = 1\n", "\ufefftelegram.caesar_id = 77\ntelegram.x = 1\n"),
        ('a = """\n[telegram]\n"""\n', 'a = """\n[telegram]\n"""\n\n[telegram]\ncaesar_id = 77\n'),
        (
            "[telegram]\nx = 1\n[z]\n# caesar_id = 5\n",
            "[telegram]\ncaesar_id = 77\nx = 1\n[z]\n# caesar_id = 5\n",
        ),
        ("[telegram]\ncaesar_id = 77", "[telegram]\ncaesar_id = 77"),
    ],
)
def test_wherever_the_table_stands_the_rest_is_untouched(before: str, after: str) -> None:
    assert with_caesar(before, 77) == after
    assert read(after) == 77


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[telegram]\ncaesar_id = 5\n", "names 5 as Caesar by now"),
        ("telegram = {}\n", "no line in it where the key could stand"),
        ("telegram = 1\n", "no table"),
        ("telegram = \n", "Invalid value"),
    ],
)
def test_what_has_no_place_for_it_is_left_as_it_is(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "legio.toml"
    path.write_text(text)
    with pytest.raises(LegioError) as refused:
        write_caesar(path, 77)
    assert reason in str(refused.value)
    assert "set LEGIO_TELEGRAM_CAESAR_ID=77" in str(refused.value)
    assert path.read_text() == text


def test_the_file_is_replaced_whole_with_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "legio.toml"
    path.write_text(configuration())
    path.chmod(0o640)
    write_caesar(path, 77)
    assert load(path, {}).telegram.caesar_id == 77
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]
    stamp = path.stat().st_mtime_ns
    write_caesar(path, 77)
    assert path.stat().st_mtime_ns == stamp, "what stands there is not written again"


def test_a_file_that_has_gone_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LegioError, match=r"No such file.*LEGIO_TELEGRAM_CAESAR_ID=77"):
        write_caesar(tmp_path / "legio.toml", 77)
    assert list(tmp_path.iterdir()) == []
