from pathlib import Path

from legio.clock import SystemClock
from legio.praetorium import open_praetorium
from legio.record import Record
from tests.fakes import NotingMessenger
from tests.scenes import scene


@scene
async def test_a_word_to_caesar_is_written_and_the_courier_called(tmp_path: Path) -> None:
    clock, messenger = SystemClock(), NotingMessenger()
    async with open_praetorium(tmp_path / "praetorium.db", clock) as praetorium:
        record = Record(
            praetorium.turns,
            praetorium.corrections,
            praetorium.nuntii,
            praetorium.outbox,
            messenger,
            clock,
        )
        await record.tell("ave", reply_to=7)
        (word,) = await praetorium.outbox.due()
    assert word.parcel == messenger.notice("ave", reply_to=7)
    assert messenger.wakes == 1
