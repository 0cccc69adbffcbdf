"""The files of nuntii in the record: written with theirs, and read back only where there are any."""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from legio.nuntius import Attachment
from legio.praetorium import columns

_MOST_VARIABLES = 900  # SQLite took 999 of them before 3.32: https://sqlite.org/limits.html


def write_attachments(connection: sqlite3.Connection, seq: int, attachments: Sequence[Attachment]) -> None:
    """Write those of the nuntius `seq`, in their order."""
    connection.executemany(
        "INSERT INTO attachments (seq, position, path, name, media_type, size, kind, note)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                seq,
                position,
                it.path,
                columns.sound(it.name),
                columns.sound(it.media_type),
                it.size,
                it.kind,
                columns.sound(it.note),
            )
            for position, it in enumerate(attachments)
        ],
    )


def attached(
    connection: sqlite3.Connection, rows: Sequence[sqlite3.Row]
) -> dict[int, tuple[Attachment, ...]]:
    """By seq, the attachments of the nuntii in `rows`; nothing is asked where they have none."""
    seqs = [row["seq"] for row in rows if row["attached"]]
    found: dict[int, list[Attachment]] = defaultdict(list)
    for start in range(0, len(seqs), _MOST_VARIABLES):
        some = seqs[start : start + _MOST_VARIABLES]
        marks = ", ".join("?" * len(some))
        query = f"SELECT * FROM attachments WHERE seq IN ({marks}) ORDER BY seq, position"  # noqa: S608
        for row in connection.execute(query, some):
            found[row["seq"]].append(_attachment(row))
    return {seq: tuple(attachments) for seq, attachments in found.items()}


def _attachment(row: sqlite3.Row) -> Attachment:
    return Attachment(
        path=row["path"],
        name=row["name"],
        media_type=row["media_type"],
        size=row["size"],
        kind=row["kind"],
        note=row["note"],
    )
