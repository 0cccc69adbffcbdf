import pytest

from legio.bot.commands import Command
from legio.bot.desk import Call, Reply


async def nothing(_: Call) -> Reply:
    return Reply("")


@pytest.mark.parametrize(("arguments", "usage"), [("<name>", "/reset <name>"), ("", "/reset")])
def test_the_usage_is_what_caesar_writes(arguments: str, usage: str) -> None:
    assert Command("reset", arguments, "Begin afresh", nothing).usage == usage
