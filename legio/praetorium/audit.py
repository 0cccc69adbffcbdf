"""Whether the record can be trusted: the file's own soundness, and the laws that the tables must keep.

Each rule is one query that counts what breaks it, and the sentence to say if it is not zero. Reads only.
"""

import sqlite3

from legio.praetorium.turns import count_turns

_FAULTS_NAMED = 5

_RULES = (
    (
        "answered turn(s) have no reply of their agent to their nuntius",
        """
        SELECT count(*) FROM turns
        LEFT JOIN nuntii AS question ON question.seq = turns.nuntius
        LEFT JOIN nuntii AS reply ON reply.seq = turns.reply
        WHERE turns.state = 'answered'
            AND (reply.seq IS NULL OR reply.sender <> turns.agent OR reply.reply_to IS NOT question.id)
        """,
    ),
    (
        "nuntii cannot be seen by someone in their audience",
        """
        SELECT count(DISTINCT seq) FROM (
            SELECT sender AS name, seq FROM nuntii WHERE sender <> 'all'
            UNION SELECT heard.value, nuntii.seq FROM nuntii, json_each(nuntii.audience) AS heard
                WHERE heard.value <> 'all' OR nuntii.audience = '["all"]'
            EXCEPT SELECT name, seq FROM nuntius_audience
        )
        """,
    ),
    (
        "nuntii can be seen by someone outside of their audience",
        """
        SELECT count(DISTINCT seq) FROM (
            SELECT name, seq FROM nuntius_audience
            EXCEPT SELECT sender, seq FROM nuntii WHERE sender <> 'all'
            EXCEPT SELECT heard.value, nuntii.seq FROM nuntii, json_each(nuntii.audience) AS heard
                WHERE heard.value <> 'all' OR nuntii.audience = '["all"]'
        )
        """,
    ),
    (
        "ended letter(s) still hold their payload, or open ones have lost it",
        "SELECT count(*) FROM inbox WHERE (ended IS NULL) = (payload = '')",
    ),
    (
        "nuntii cannot be found by their words, or words lead to nuntii that do not exist",
        """
        SELECT (SELECT count(*) FROM (SELECT seq FROM nuntii EXCEPT SELECT id FROM nuntii_search_docsize))
            + (SELECT count(*) FROM (SELECT id FROM nuntii_search_docsize EXCEPT SELECT seq FROM nuntii))
        """,
    ),
    (
        "session(s) have seen nuntii that do not exist",
        "SELECT count(*) FROM sessions WHERE cursor > (SELECT coalesce(max(seq), 0) FROM nuntii)",
    ),
)


def audit(connection: sqlite3.Connection) -> tuple[str, ...]:
    """What is wrong, as plain sentences; none when all is well. Takes seconds for a million nuntii."""
    broken = soundness(connection)
    if broken:
        return broken  # the laws cannot be asked of a file that cannot be read
    return _references(connection) + _law(connection) + _rules(connection)


def soundness(connection: sqlite3.Connection) -> tuple[str, ...]:
    """What is damaged in the file itself, as plain sentences; none when it can be read whole."""
    rows = connection.execute(f"PRAGMA integrity_check({_FAULTS_NAMED})").fetchall()
    return tuple(f"The file is damaged: {row[0]}." for row in rows if row[0] != "ok")


def _references(connection: sqlite3.Connection) -> tuple[str, ...]:
    rows = connection.execute("PRAGMA foreign_key_check").fetchmany(_FAULTS_NAMED)
    return tuple(f"A row of '{row['table']}' points to a missing row of '{row['parent']}'." for row in rows)


def _law(connection: sqlite3.Connection) -> tuple[str, ...]:
    tally = count_turns(connection)
    return () if tally.holds else (f"Turns were lost: {tally}.",)


def _rules(connection: sqlite3.Connection) -> tuple[str, ...]:
    counts = ((connection.execute(query).fetchone()[0], sentence) for sentence, query in _RULES)
    return tuple(f"{count} {sentence}." for count, sentence in counts if count)
