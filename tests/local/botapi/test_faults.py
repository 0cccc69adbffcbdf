import pytest

from legio.local.botapi.faults import Allowance, Fault, Faults, FloodLimit, Trouble
from legio.local.botapi.wire import Refusal
from tests.clocks import FakeClock


def test_what_is_armed_comes_in_order_and_ends() -> None:
    faults = Faults()
    faults.arm("sendMessage", Trouble.FLOOD, times=2, retry_after=3)
    faults.arm("SENDMESSAGE", Trouble.HANG)
    assert faults.armed == 3
    taken = [faults.take("sendmessage") for _ in range(4)]
    assert faults.armed == 0
    assert taken == [Fault(Trouble.FLOOD, 3), Fault(Trouble.FLOOD, 3), Fault(Trouble.HANG), None]
    assert faults.take("getMe") is None


def test_disarmed_all_is_well() -> None:
    faults = Faults()
    faults.arm("getMe", Trouble.SERVER_ERROR)
    faults.disarm()
    assert faults.take("getMe") is None


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (Trouble.FLOOD, 429),
        (Trouble.SERVER_ERROR, 500),
        (Trouble.BAD_GATEWAY, 502),
        (Trouble.HANG, None),
        (Trouble.HANG_AFTER, None),
    ],
)
def test_some_troubles_are_answers(trouble: Trouble, code: int | None) -> None:
    refusal = Fault(trouble).refusal()
    assert (refusal.code if refusal else None) == code


def spend(limit: FloodLimit, chat: int, count: int = 1) -> int:
    """How many seconds the limit says to wait; 0 when it lets the message through."""
    try:
        limit.message(chat, count)
    except Refusal as refusal:
        return refusal.retry_after or 0
    return 0


def test_after_a_burst_one_message_a_second_passes() -> None:
    clock = FakeClock()
    limit = FloodLimit(clock, messages=Allowance(burst=2))
    assert [spend(limit, 7) for _ in range(3)] == [0, 0, 1]
    clock.advance(1)
    assert [spend(limit, 7) for _ in range(2)] == [0, 1]


def test_chats_do_not_share_their_limit_nor_messages_with_edits() -> None:
    limit = FloodLimit(FakeClock(), messages=Allowance(burst=1), edits=Allowance(burst=1, per_second=0.25))
    assert [spend(limit, 7), spend(limit, 8), spend(limit, 7)] == [0, 0, 1]
    limit.edit(7)
    with pytest.raises(Refusal, match="retry after 4"):
        limit.edit(7)


def test_an_album_larger_than_the_burst_passes_once_and_leaves_a_debt() -> None:
    clock = FakeClock()
    limit = FloodLimit(clock, messages=Allowance(burst=2))
    assert spend(limit, 7, count=10) == 0
    assert spend(limit, 7) == 9
