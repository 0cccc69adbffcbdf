import asyncio

import pytest

from legio.local.botapi import state as state_module
from legio.local.botapi.files import Upload
from legio.local.botapi.message import Person, Reply
from legio.local.botapi.state import BotApiState
from legio.local.botapi.wire import Refusal
from tests.clocks import FakeClock
from tests.local.botapi.rig import OWNER, PNG, TOKEN, fresh_state
from tests.scenes import scene

STRANGER = Person(99, "Brennus")


def state() -> BotApiState:
    return fresh_state(FakeClock())


def test_what_the_owner_says_is_queued_and_stands_in_the_chat() -> None:
    camp = state()
    update = camp.say("/start @vorenus")
    assert camp.updates.pending == [update]
    assert update["message"]["text"] == "/start @vorenus"
    assert [entity["type"] for entity in update["message"]["entities"]] == ["bot_command", "mention"]
    assert [message.text.plain for message in camp.messages] == ["/start @vorenus"]
    assert camp.answers == ()


def test_ids_begin_at_the_second_of_the_start_so_that_a_restart_repeats_none() -> None:
    clock = FakeClock()
    update = BotApiState(token=TOKEN, owner_id=OWNER, clock=clock).say("hello")
    assert update["update_id"] == update["message"]["message_id"] == int(clock.now().timestamp())


def test_a_reply_quotes_and_a_forward_names_its_author() -> None:
    camp = state()
    first = camp.say("veni vidi")["message"]["message_id"]
    update = camp.say("yes", reply_to=Reply(first, "vidi"), forwarded_from="Cicero")
    assert update["message"]["quote"]["text"] == "vidi"
    assert update["message"]["forward_origin"]["sender_user_name"] == "Cicero"
    assert camp.say("again", reply_to=first)["message"]["reply_to_message"]["message_id"] == first


@pytest.mark.parametrize(("text", "words"), [("  ", "message text is empty"), ("a" * 4097, "too long")])
def test_no_client_sends_an_empty_or_too_long_text(text: str, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        state().say(text)


def test_nobody_replies_to_nothing() -> None:
    with pytest.raises(Refusal, match="message to be replied not found"):
        state().say("hello", reply_to=5)


def test_a_stranger_has_a_chat_of_his_own_and_can_be_answered_there() -> None:
    camp = state()
    update = camp.say("let me in", user=STRANGER)
    assert update["message"]["chat"]["id"] == update["message"]["from"]["id"] == 99
    assert camp.messages == ()
    assert camp.chats.writable(99).person == STRANGER


def test_a_strangers_press_on_the_owners_message_names_the_stranger() -> None:
    camp = state()
    message = camp.say("hello")["message"]["message_id"]
    query = camp.press(message, "stop", user=STRANGER)["callback_query"]
    assert (query["from"]["id"], query["message"]["chat"]["id"], query["data"]) == (99, OWNER, "stop")


def test_a_message_that_is_gone_cannot_be_pressed() -> None:
    with pytest.raises(Refusal, match="message not found"):
        state().press(5, "stop")


def test_old_queries_are_forgotten_when_there_are_too_many() -> None:
    camp = state()
    message = camp.say("hello")["message"]["message_id"]
    first = camp.press(message, "a")["callback_query"]["id"]
    for _ in range(state_module.QUERY_LIMIT):
        camp.press(message, "a")
    assert len(camp.queries) == state_module.QUERY_LIMIT
    assert first not in camp.queries


def test_the_owner_corrects_his_own_words_only() -> None:
    camp = state()
    message = camp.say("helo")["message"]["message_id"]
    update = camp.edit(message, "hello")
    assert (update["edited_message"]["text"], "edit_date" in update["edited_message"]) == ("hello", True)
    file = camp.send_file(Upload("a.txt", b"a"))["message"]["message_id"]
    for number in (5, file):
        with pytest.raises(Refusal, match="can't be edited"):
            camp.edit(number, "x")


def test_files_of_every_kind_arrive() -> None:
    camp = state()
    document = camp.send_file(Upload("plan.pdf", b"abc"), caption="the plan", user=STRANGER)["message"]
    photo = camp.send_file(Upload("a.png", PNG), kind="photo")["message"]
    voice = camp.send_file(Upload("a.ogg", b"OggS", "audio/ogg"), kind="voice", reply_to=photo["message_id"])[
        "message"
    ]
    assert (document["caption"], document["document"]["file_name"]) == ("the plan", "plan.pdf")
    assert photo["photo"][0]["width"] == 1
    assert (voice["voice"]["duration"], voice["reply_to_message"]["message_id"]) == (3, photo["message_id"])
    stored = camp.files.get(document["document"]["file_id"])
    assert stored
    assert stored.upload.data == b"abc"


def test_an_album_is_several_updates_of_one_group_with_one_caption() -> None:
    updates = state().send_album([Upload("a.png", PNG), Upload("b.png", PNG)], caption="two")
    groups = {update["message"]["media_group_id"] for update in updates}
    assert len(updates) == 2
    assert len(groups) == 1
    assert ["caption" in update["message"] for update in updates] == [True, False]


def test_places_and_stickers_arrive() -> None:
    camp = state()
    assert camp.send_location(41.9, 12.5)["message"]["location"] == {"latitude": 41.9, "longitude": 12.5}
    assert camp.send_sticker("🦅", user=STRANGER)["message"]["sticker"]["emoji"] == "🦅"


def test_who_writes_opens_the_chat_and_blocks_no_longer() -> None:
    camp = state()
    camp.chat.blocked, camp.chat.opened = True, False
    camp.say("I am back")
    assert camp.chats.writable(OWNER) is camp.chat


def test_an_open_topic_is_told_with_what_is_said_in_it() -> None:
    camp = state()
    camp.topic = 5
    assert camp.say("hello")["message"]["message_thread_id"] == 5


def test_a_topic_goes_with_all_that_stands_in_it() -> None:
    camp = state()
    camp.chat.topics[5] = "vorenus"
    camp.say("above")
    camp.topic = 5
    camp.say("within")
    camp.delete_topic(5)
    assert [message.text.plain for message in camp.messages] == ["above"]
    assert camp.chat.topics == {}


@scene
async def test_waiting_ends_when_the_chat_or_the_calls_make_it_true() -> None:
    camp = state()
    said = asyncio.create_task(camp.wait_for(lambda: len(camp.messages)))
    called = asyncio.create_task(camp.wait_for(lambda: [call.method for call in camp.calls]))
    await asyncio.sleep(0)
    camp.say("hello")
    camp.log("getMe", {})
    assert await said == 1
    assert await called == ["getMe"]


@scene
async def test_waiting_in_vain_has_an_end() -> None:
    with pytest.raises(TimeoutError):
        await state().wait_for(lambda: False, seconds=0.01)


@scene
async def test_closing_twice_is_well_and_ends_the_poll() -> None:
    camp = fresh_state()
    poll = asyncio.create_task(camp.updates.take(offset=0, limit=1, timeout=30))
    await asyncio.sleep(0)
    await camp.close()
    await camp.close()
    assert await poll == []


def test_places_and_contacts_come_as_telegram_sends_them() -> None:
    camp = state()
    venue = camp.send_venue("Colosseum", "Roma", 41.5, 12.25)["message"]
    contact = camp.send_contact("Titus", "+39 1")["message"]
    assert venue["venue"] == {"location": venue["location"], "title": "Colosseum", "address": "Roma"}
    assert venue["location"] == {"latitude": 41.5, "longitude": 12.25}
    assert contact["contact"] == {"first_name": "Titus", "phone_number": "+39 1"}


def test_a_caption_has_its_entities_and_no_client_sends_another_kind() -> None:
    camp = state()
    bold = {"type": "bold", "offset": 0, "length": 4}
    sent = camp.send_file(Upload("a.png", PNG), kind="photo", caption="look", entities=[bold])["message"]
    assert (sent["caption"], sent["caption_entities"]) == ("look", [bold])
    with pytest.raises(Refusal, match="no file of the kind story"):
        camp.send_file(Upload("a.png", PNG), kind="story")
