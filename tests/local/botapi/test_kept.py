from datetime import timedelta

from legio.local.botapi.kept import Change, Gone, Kept, Lost, Queued, Reached, Stands, Stored, Taken, Topics
from legio.local.botapi.message import Message, Person
from legio.local.botapi.text import Text
from tests.clocks import DAWN

CAESAR = Person(1, "Caesar")


def stands(number: int, text: str = "") -> Stands:
    return Stands(Message(number, CAESAR, CAESAR, DAWN, Text(text)))


def kept(*changes: Change) -> Kept:
    found = Kept()
    for change in changes:
        found.take(change)
    return found


FILE = Stored("a", "document", "documents/file_1.txt", "notes.txt", "text/plain")


def test_the_newest_word_about_a_thing_counts_and_it_keeps_its_place() -> None:
    found = kept(stands(5, "one"), stands(6), stands(5, "uno"))
    assert [(number, it.text.plain) for number, it in found.messages.items()] == [(5, "uno"), (6, "")]


def test_what_is_gone_is_gone_and_what_never_was_may_go() -> None:
    queued = Queued(DAWN, {"update_id": 8})
    found = kept(stands(5), Gone((5, 4)), queued, Taken((8, 7)), FILE, Lost(("a", "b")))
    assert (found.messages, found.updates, found.files) == ({}, {}, {})


def test_no_id_is_given_twice_even_when_its_bearer_is_gone() -> None:
    assert kept().next_id == 0
    assert kept(stands(5), Gone((5,))).next_id == 6
    assert kept(Queued(DAWN, {"update_id": 8}), Taken((8,))).next_id == 9
    assert kept(Topics({12: "the ford"}), Topics({})).next_id == 13
    assert kept(Reached(20), stands(5)).next_id == 20


def test_it_is_told_in_the_fewest_changes_that_lead_there_again() -> None:
    late = Queued(DAWN + timedelta(hours=1), {"update_id": 9})
    found = kept(stands(5, "one"), stands(5, "uno"), stands(6), Gone((6,)), FILE, late, Topics({3: "x"}))
    told = list(found.changes())
    assert told == [Reached(10), Topics({3: "x"}), FILE, stands(5, "uno"), late]
    assert kept(*told) == found
