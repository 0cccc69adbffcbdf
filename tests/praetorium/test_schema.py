import sqlite3
from collections.abc import Iterator

import pytest

from legio.errors import PraetoriumError
from legio.praetorium.migrations import APPLICATION_ID, MIGRATIONS, Migration
from legio.praetorium.schema import migrate


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def value(connection: sqlite3.Connection, query: str) -> object:
    return connection.execute(query).fetchone()[0]


def names(connection: sqlite3.Connection, kind: str) -> set[str]:
    query = "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%'"
    return {row[0] for row in connection.execute(query, (kind,))}


def test_an_empty_file_gets_every_table_and_its_number(connection: sqlite3.Connection) -> None:
    migrate(connection, where="here")

    assert names(connection, "table") == {
        "nuntii",
        "nuntius_audience",
        "inbox",
        "turns",
        "outbox",
        "messages",
        "sessions",
        "attachments",
        "raises",
        "roll_calls",
        "settings",
        "schedules",
        "searches",
        "events",
        "nuntii_search",
        "nuntii_search_config",
        "nuntii_search_data",
        "nuntii_search_docsize",
        "nuntii_search_idx",
    }
    assert value(connection, "PRAGMA user_version") == MIGRATIONS[-1].number
    assert value(connection, "PRAGMA application_id") == APPLICATION_ID


def test_numbers_count_up_without_a_gap() -> None:
    assert [migration.number for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_migrating_twice_writes_nothing_more(connection: sqlite3.Connection) -> None:
    migrate(connection, where="here")
    before = connection.total_changes

    migrate(connection, where="here")

    assert connection.total_changes == before


def test_only_what_is_new_is_run(connection: sqlite3.Connection) -> None:
    migrate(connection, where="here")
    later = (*MIGRATIONS, Migration(len(MIGRATIONS) + 1, ("CREATE TABLE later (x)",)))

    migrate(connection, where="here", migrations=later)

    assert "later" in names(connection, "table")
    assert value(connection, "PRAGMA user_version") == len(later)


def test_a_migration_that_fails_in_the_middle_leaves_the_last_whole_one(
    connection: sqlite3.Connection,
) -> None:
    migrate(connection, where="here")
    broken = Migration(len(MIGRATIONS) + 1, ("CREATE TABLE later (x)", "CREATE TABLE later (x)"))

    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate(connection, where="here", migrations=(*MIGRATIONS, broken))

    assert "later" not in names(connection, "table")
    assert value(connection, "PRAGMA user_version") == len(MIGRATIONS)


def test_a_migration_that_another_process_ran_meanwhile_is_not_run_again(
    connection: sqlite3.Connection,
) -> None:
    class Late(sqlite3.Connection):
        """Sees the schema of a moment ago, until it holds the write lock."""

        def execute(self, query: str, parameters: object = ()) -> sqlite3.Cursor:
            if query == "PRAGMA user_version" and not self.in_transaction and not seen:
                seen.append(query)
                return super().execute("SELECT 0")
            return super().execute(query)

    seen: list[str] = []
    migrate(connection, where="here")
    late = sqlite3.connect(":memory:", isolation_level=None, factory=Late)
    connection.backup(late)

    migrate(late, where="here")

    assert seen
    assert value(late, "PRAGMA user_version") == MIGRATIONS[-1].number
    late.close()


def test_a_newer_schema_is_refused_with_both_numbers(connection: sqlite3.Connection) -> None:
    migrate(connection, where="here")
    connection.execute("PRAGMA user_version = 99")

    with pytest.raises(PraetoriumError) as caught:
        migrate(connection, where="castra/praetorium.db")

    assert "schema 99" in caught.value.what
    assert f"after {MIGRATIONS[-1].number}" in caught.value.what
    assert caught.value.where == "castra/praetorium.db"
    assert "newer Legio" in caught.value.remedy


@pytest.mark.parametrize(
    ("column", "row"),
    [
        ("an end without its time", "state = 'failed'"),
        ("a time without an end", "ended = 'now'"),
        ("an answer without its reply", "state = 'answered', ended = 'now'"),
        ("a reply without an answer", "state = 'failed', ended = 'now', reply = 1"),
        ("an unknown state", "state = 'forgotten', ended = 'now'"),
    ],
)
def test_the_tables_refuse_a_turn_that_makes_no_sense(
    connection: sqlite3.Connection, column: str, row: str
) -> None:
    migrate(connection, where="here")
    connection.execute(
        "INSERT INTO nuntii (seq, id, sender, text, audience, timestamp)"
        " VALUES (1, 'id', 'caesar', '', '[\"legatus\"]', 'now')"
    )
    connection.execute("INSERT INTO turns (nuntius, agent, root) VALUES (1, 'legatus', 1)")

    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(f"UPDATE turns SET {row}")


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT * FROM turns WHERE ended IS NULL ORDER BY id", "turns_open"),
        ("SELECT state, count(*) FROM turns GROUP BY state", "turns_by_state"),
        ("SELECT count(*) FROM turns WHERE root = 1 AND nuntius <> 1", "turns_by_root"),
        ("SELECT * FROM inbox WHERE ended IS NULL ORDER BY update_id", "inbox_unfinished"),
        ("SELECT * FROM outbox WHERE state IN ('pending', 'sending') ORDER BY id", "outbox_unsent"),
        ("SELECT * FROM outbox WHERE state = 'undeliverable' ORDER BY id", "outbox_undeliverable"),
        ("SELECT count(*) FROM outbox WHERE seq = 1", "outbox_by_seq"),
        ("SELECT min(update_id) FROM inbox WHERE nuntius = 1", "inbox_by_nuntius"),
        ("SELECT * FROM events WHERE agent = 'a' AND id > 7 ORDER BY id LIMIT 9", "events_by_agent"),
        ("SELECT * FROM events WHERE agent = 'a' AND id < 7 ORDER BY id DESC LIMIT 9", "events_by_agent"),
    ],
)
def test_what_is_asked_often_is_answered_by_an_index(
    connection: sqlite3.Connection, query: str, index: str
) -> None:
    migrate(connection, where="here")

    plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}"))

    assert index in plan
    assert "TEMP B-TREE" not in plan
