from pathlib import Path

import pytest

from legio.nuntius import TurnState
from legio.ports import Ending, Letter, Thread
from legio.praetorium import Praetorium
from tests.praetorium.record import START, answered, parcel, praetorium_in, said
from tests.scenes import scene


async def a_day_of_service(praetorium: Praetorium) -> None:
    await praetorium.inbox.put(Letter(id=1, payload="{}", received=START))
    await praetorium.inbox.put(Letter(id=2, payload="{}", received=START))
    question = said("compare", audience=("vorenus", "pullo"))
    first, second = await praetorium.turns.admit(question, ["vorenus", "pullo"], update_id=1, message=41)
    await praetorium.turns.begin(first, Thread(agent="vorenus", cursor=1))
    await praetorium.turns.end(first, answered("so", "vorenus", first.nuntius, parcel("so")))
    await praetorium.turns.end(second, Ending(TurnState.FAILED, None, (parcel("failed"),)))
    await praetorium.nuntii.post(said("to everyone", "legatus", ("all",)))


@scene
async def test_a_sound_record_has_nothing_to_tell(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.check() == ()
        await a_day_of_service(praetorium)

        assert await praetorium.check() == ()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("DELETE FROM turns WHERE agent = 'pullo'", "Turns were lost"),
        ("UPDATE turns SET reply = 3 WHERE agent = 'vorenus'", "1 answered turn(s) have no reply"),
        ("UPDATE nuntii SET reply_to = NULL WHERE seq = 2", "1 answered turn(s) have no reply"),
        ("DELETE FROM nuntius_audience WHERE name = 'pullo'", "1 nuntii cannot be seen by someone in"),
        ("DELETE FROM nuntius_audience WHERE name = 'all'", "1 nuntii cannot be seen by someone in"),
        ("INSERT INTO nuntius_audience VALUES ('brutus', 1)", "1 nuntii can be seen by someone outside"),
        ("INSERT INTO nuntius_audience VALUES ('all', 2)", "1 nuntii can be seen by someone outside"),
        ("UPDATE inbox SET payload = '{}'", "1 ended letter(s) still hold their payload"),
        ("UPDATE inbox SET payload = ''", "1 ended letter(s) still hold their payload"),
        ("DELETE FROM nuntii_search_docsize WHERE id = 2", "1 nuntii cannot be found by their words"),
        ("INSERT INTO nuntii_search_docsize VALUES (99, x'01')", "1 nuntii cannot be found by their words"),
        ("UPDATE sessions SET cursor = 99", "1 session(s) have seen nuntii that do not exist"),
        ("UPDATE outbox SET seq = 99 WHERE id = 1", "A row of 'outbox' points to a missing row of 'nuntii'."),
    ],
)
def test_each_damage_is_told_in_a_plain_sentence(tmp_path: Path, damage: str, sentence: str) -> None:
    @scene
    async def examine() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            await a_day_of_service(praetorium)
            await praetorium.database.run(lambda raw: raw.execute("PRAGMA foreign_keys = OFF").fetchall())
            await praetorium.database.change(damage)

            (told,) = await praetorium.check()

        assert sentence in told

    examine()


@scene
async def test_a_page_written_over_is_told(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with praetorium_in(tmp_path) as praetorium:
        await a_day_of_service(praetorium)
        (page,) = await praetorium.database.rows("SELECT rootpage FROM sqlite_master WHERE name = 'turns'")
        (size,) = await praetorium.database.rows("PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((page[0] - 1) * size[0])
        file.write(b"\xff" * size[0])

    async with praetorium_in(tmp_path) as praetorium:
        told = await praetorium.check()

    assert told
    assert "damaged" in told[0]


@scene
async def test_an_index_that_disagrees_with_its_table_is_told(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await a_day_of_service(praetorium)
        await praetorium.database.run(
            lambda raw: (
                raw.executescript(
                    "PRAGMA writable_schema = ON;"
                    "UPDATE sqlite_master SET sql = 'CREATE INDEX nuntii_by_sender ON nuntii (text)'"
                    " WHERE name = 'nuntii_by_sender';"
                ).connection.close
            )
        )

    async with praetorium_in(tmp_path) as praetorium:
        told = await praetorium.check()

    assert told
    assert all("The file is damaged: " in sentence for sentence in told)
