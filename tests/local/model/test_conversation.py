import base64
from dataclasses import replace
from datetime import UTC, datetime

from legio.context import Told, message, prompt_parts, system_prompt
from legio.local.model.conversation import NOTICE, Deed, File, Heard, plain_name, read_conversation
from legio.local.model.request import Image, read_request
from legio.nuntius import Attachment, Nuntius, Quote, Turn
from tests.local.botapi.rig import PNG
from tests.local.model.asking import asking, assistant, body, calls, conversation, results, user

DATE = datetime(2026, 11, 1, tzinfo=UTC)
DRAWN = base64.b64encode(PNG).decode()


def test_the_agent_is_known_from_its_system_prompt() -> None:
    assert read_conversation(asking(user("ave"))).agent == "vorenus"


def test_without_a_name_he_is_a_recruit() -> None:
    assert (
        read_conversation(read_request({**body(user("ave")), "system": "You are helpful."})).agent
        == "recruit"
    )


def test_what_legio_writes_is_understood() -> None:
    seen = Nuntius("1", "pullo", "built <it> & more", ("vorenus",), DATE)
    asked = Nuntius("2", "caesar", "say \"a < b\" & 'c'", ("vorenus", "pullo"), DATE)
    told = message(Turn(1, "vorenus", asked, 2), (seen,), Told((), ("one notice",)), new="it was reset")

    heard = read_conversation(
        read_request({**body(user(told)), "system": system_prompt(prompt_parts("titus", "Cook.", ()))})
    )

    assert heard.agent == "titus"
    assert heard.asked == "say \"a < b\" & 'c'"
    assert heard.before == (Heard("pullo", "built <it> & more"),)


def test_the_last_element_is_what_was_asked() -> None:
    first, second = (
        '<message from="caesar" id="1">one</message>',
        '<message from="legatus" id="2">two</message>',
    )

    heard = conversation(user(first, second))

    assert (heard.asked, heard.before) == ("two", (Heard("caesar", "one"),))


def test_a_bare_text_is_taken_as_it_is_with_what_was_told_before_it() -> None:
    heard = conversation(
        user('<praetorium><nuntius id="1" sender="pullo">built</nuntius></praetorium>', "ave")
    )

    assert (heard.asked, heard.before) == ("ave", (Heard("pullo", "built"),))


def test_what_a_stopped_turn_had_asked_is_still_heard() -> None:
    heard = conversation(user("slow 60\n", "[Request interrupted by user]\n", "ave"))

    assert (heard.asked, heard.before) == ("ave", (Heard("caesar", "slow 60"),))


def test_mentions_in_front_are_no_part_of_the_task() -> None:
    assert conversation(user("@vorenus, @pullo: help")).asked == "help"
    assert conversation(user("help @pullo")).asked == "help @pullo"


def test_reminders_of_the_client_are_not_taken_for_the_owner() -> None:
    reminder = "<system-reminder>\nToday is Monday.\n</system-reminder>\n"
    last = {"role": "system", "content": "The model is called m."}

    heard = conversation(user(reminder, "ave"), last)

    assert (heard.asked, heard.before) == ("ave", ())
    assert conversation(user("ave", reminder)).asked == "ave"
    assert conversation(user(f"{reminder}ave")).asked == "ave"


def test_notes_of_the_client_are_not_taken_for_the_owner() -> None:
    note = "[Request interrupted by user for tool use]"
    empty = "[Your previous response had no visible output. Please continue.]"

    heard = conversation(user("slow 9"), assistant("I"), user(note), user("ave"), user(empty))

    assert (heard.asked, heard.before) == ("ave", (Heard("caesar", "slow 9"),))


def test_an_order_for_a_summary_comes_last_and_a_summary_first() -> None:
    order = "CRITICAL: Respond with TEXT ONLY. …"
    summary = "This session is being continued from a previous conversation that ran out of context."
    asked = '<message from="caesar" id="1">ave</message>'

    heard = conversation(user(order, asked, summary))

    assert heard.asked == order
    assert heard.before == (Heard("summary", summary), Heard("caesar", "ave"))


def test_nothing_asked_is_an_empty_text() -> None:
    assert conversation({"role": "system", "content": "the date"}).asked == ""


def test_deeds_are_those_since_the_last_question() -> None:
    heard = conversation(
        user("one"),
        calls("read", name="old"),
        results(read="old"),
        user("two"),
        calls("read", name="ford"),
        results(read="broken", failed=True),
        tools=("read",),
    )

    assert heard.deeds == (Deed("read", {"name": "ford"}, "broken", failed=True),)
    assert heard.tools == {"read": "mcp__legio__read"}


def test_he_knows_whether_he_has_said_what_he_is() -> None:
    assert not conversation(user("ave")).introduced
    assert not conversation(user(f"you said: {NOTICE}")).introduced
    assert conversation(user("ave"), assistant(f"{NOTICE}\n\nAve."), user("go on")).introduced


def test_plain_names_lose_the_prefix_of_their_server_alone() -> None:
    assert plain_name("mcp__memoria_vorenus__publish_actum") == "publish_actum"
    assert plain_name("mcp__legio__odd__name") == "odd__name"
    assert plain_name("Bash") == "Bash"


def test_what_came_with_the_words_is_understood() -> None:
    file = Attachment("p", 'a "b".txt', "text/plain", 3, "document")
    beside = {"attachments": (file,), "quote": Quote("pullo", "a < b")}
    asked = replace(Nuntius("2", "caesar", "look", ("vorenus",), DATE), **beside)  # type: ignore[arg-type]
    told = message(Turn(1, "vorenus", asked, 2), (), Told(texts={"p": "x & y"}))
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DRAWN}}

    heard = conversation({"role": "user", "content": [picture, {"type": "text", "text": told}]})

    assert heard.asked == "look"
    assert heard.images == (Image("image/png", 1, 1),)
    assert heard.files == (File('a "b".txt', "x & y"),)
    assert heard.quote == Heard("pullo", "a < b")
