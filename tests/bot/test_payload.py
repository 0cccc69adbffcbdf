"""The outbox row's JSON: what is written is read back, and nonsense is refused."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.bot.payload import (
    DocumentMessage,
    FileMessage,
    Message,
    TextMessage,
    decode,
    encode,
    hushed,
    in_rows,
)
from legio.bot.piece import Entity
from legio.errors import LegioError
from legio.ports import Button

FULL = TextMessage(
    "Ave 😀",
    (Entity("pre", 0, 3, language="py"), Entity("text_link", 4, 2, url="http://e.org")),
    reply_to=7,
    buttons=((Button("Yes", "y:1"), Button("No", "n:1")), (Button("Later", "l"),)),
    silent=True,
    thread=5,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
IDS = st.none() | st.integers(1)
ENTITIES = st.builds(
    Entity, TEXTS, st.integers(0), st.integers(1), url=st.none() | TEXTS, language=st.none() | TEXTS
)
BUTTONS = st.lists(st.lists(st.builds(Button, TEXTS, TEXTS)).map(tuple)).map(tuple)
MESSAGES = st.one_of(
    st.builds(TextMessage, TEXTS, st.lists(ENTITIES).map(tuple), IDS, BUTTONS, st.booleans()),
    st.builds(DocumentMessage, TEXTS, TEXTS, TEXTS, IDS, st.booleans()),
    st.builds(FileMessage, TEXTS, TEXTS, TEXTS, st.booleans(), IDS, st.booleans()),
)


@given(MESSAGES)
def test_what_was_written_is_read_back(message: Message) -> None:
    assert decode(encode(message)) == message


def test_the_json_is_readable_by_people() -> None:
    assert json.loads(encode(DocumentMessage("a.md", "Ave 😀"))) == {
        "kind": "document", "file_name": "a.md", "content": "Ave 😀", "caption": "", "reply_to": None,
        "silent": False, "thread": None,
    }  # fmt: skip


def test_what_was_written_before_there_were_topics_is_read() -> None:
    for message in (replace(FULL, thread=None), DocumentMessage("a.md", "Ave"), FileMessage("a/b", "b")):
        row = json.loads(encode(message))
        del row["thread"]
        assert decode(json.dumps(row)) == message


def test_what_was_written_before_there_was_urgency_is_read() -> None:
    row = json.loads(encode(FULL))
    del row["urgent"]

    assert decode(json.dumps(row)) == FULL


def test_in_quiet_hours_nothing_rings_but_what_is_urgent() -> None:
    urgent = TextMessage("Ave", urgent=True)

    assert hushed(TextMessage("Ave")) == TextMessage("Ave", silent=True)
    assert hushed(DocumentMessage("a.md", "Ave")) == DocumentMessage("a.md", "Ave", silent=True)
    assert hushed(urgent) == urgent


def test_buttons_stand_side_by_side_while_a_phone_has_room_for_their_labels_and_frames() -> None:
    efforts = ("low", "medium", "high", "xhigh", "max", "default")
    rows = in_rows(Button(label, label) for label in (*efforts, "a label longer than any row of a phone"))
    assert [len(row) for row in rows] == [5, 1, 1]
    assert [len(row) for row in in_rows(Button(it, it) for it in ("Allow for this session", "Deny"))] == [2]
    assert in_rows(()) == ()


def changed(**changes: object) -> str:
    return json.dumps({**json.loads(encode(FULL)), **changes})


@pytest.mark.parametrize(
    "payload",
    [
        "", "{", "null", "[]", "7", "{}", '{"kind":"text"}', changed(kind="song"), changed(kind=None),
        changed(text=7), changed(text=None), changed(reply_to="7"), changed(reply_to=True),
        changed(silent=1), changed(thread="5"), changed(colour="red"), changed(entities=None),
        changed(entities=[1]),
        changed(entities=[{"type": "bold"}]), changed(entities=[[]]), changed(buttons=[{"label": "a"}]),
        changed(buttons=[[{"label": "a", "data": 1}]]), changed(buttons=7),
        json.dumps({"kind": "document", "file_name": "a.md"}),
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_a_word_on_where_it_is(payload: str) -> None:
    with pytest.raises(LegioError, match="praetorium: a message in the outbox cannot be read"):
        decode(payload)
