from dataclasses import replace

import pytest

from legio.local.botapi import chats as chats_module
from legio.local.botapi.chats import Chats
from legio.local.botapi.events import EventStream
from legio.local.botapi.message import Message, Person, Reply
from legio.local.botapi.text import Text
from legio.local.botapi.wire import Refusal
from tests.clocks import FakeClock

CAESAR = Person(7, "Caesar")


class Camp:
    """Chats with the events they told."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.events = EventStream("run", self.clock)
        self.chats = Chats(self.clock, self.events, 100)
        self.chat = self.chats.of(CAESAR)

    def say(self, text: str, reply: Reply | None = None) -> Message:
        number = self.chats.number()
        return self.chats.add(Message(number, CAESAR, CAESAR, self.clock.now(), Text(text), reply=reply))

    @property
    def told(self) -> list[str]:
        return [event.kind for event in self.events._events]


def test_only_an_open_chat_can_be_written_to() -> None:
    camp = Camp()
    for number in (7, 8):
        with pytest.raises(Refusal, match="chat not found"):
            camp.chats.writable(number)
    camp.chat.opened = True
    assert camp.chats.writable(7) is camp.chat
    camp.chat.blocked = True
    with pytest.raises(Refusal, match="Forbidden: bot was blocked by the user"):
        camp.chats.writable(7)


def test_messages_are_numbered_and_every_change_is_told() -> None:
    camp = Camp()
    first, second = camp.say("one"), camp.say("two")
    assert (first.id, second.id) == (100, 101)
    edited = camp.chats.edit(replace(first, text=Text("1")))
    assert edited.edited == camp.clock.now()
    camp.chats.remove(camp.chat, [101, 999])
    camp.chats.remove(camp.chat, [999])
    assert list(camp.chat.messages.values()) == [edited]
    assert camp.told == ["message", "message", "message", "deleted"]


def test_drafts_end_together_and_once() -> None:
    camp = Camp()
    camp.chats.draft(camp.chat, 5, Text("so far"))
    camp.chats.end_drafts(camp.chat)
    camp.chats.end_drafts(camp.chat)
    assert camp.chat.drafts == {}
    assert camp.told == ["draft", "drafts_ended"]


def test_a_reply_shows_what_it_answers_while_that_stands() -> None:
    camp = Camp()
    question = camp.say("question")
    answer = camp.say("answer", Reply(question.id))
    assert camp.chats.wire(answer)["reply_to_message"]["text"] == "question"
    camp.chats.remove(camp.chat, [question.id])
    assert "reply_to_message" not in camp.chats.view(answer)


def test_above_the_limit_the_oldest_message_goes() -> None:
    camp = Camp()
    for _ in range(chats_module.MESSAGE_LIMIT + 1):
        camp.say("x")
    assert len(camp.chat.messages) == chats_module.MESSAGE_LIMIT
    assert 100 not in camp.chat.messages
