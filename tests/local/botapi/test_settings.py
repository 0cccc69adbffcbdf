from typing import Any

import pytest
from telegram import BotCommand, BotCommandScopeChat, MenuButtonCommands, MenuButtonWebApp, WebAppInfo
from telegram.error import BadRequest

from legio.local.botapi.files import DOWNLOAD_BYTES, Upload
from legio.local.botapi.settings import menu
from tests.local.botapi.rig import OWNER, rig
from tests.scenes import scene

HELP = BotCommand("help", "What I can do")


@scene
async def test_the_bot_knows_itself() -> None:
    async with rig() as camp:
        me = await camp.bot.get_me()
        assert (me.id, me.username, me.is_bot, me.has_topics_enabled) == (123456, "legio_bot", True, False)
        assert await camp.bot.log_out()
        assert await camp.result("close")


@scene
async def test_commands_belong_to_their_scope_and_language() -> None:
    async with rig() as camp:
        chat = BotCommandScopeChat(OWNER)
        await camp.bot.set_my_commands([HELP], scope=chat)
        assert await camp.bot.get_my_commands(scope=chat) == (HELP,)
        assert await camp.bot.get_my_commands() == ()
        assert await camp.bot.get_my_commands(scope=chat, language_code="la") == ()
        assert await camp.bot.delete_my_commands(scope=chat)
        assert await camp.bot.delete_my_commands(scope=chat)
        assert await camp.bot.get_my_commands(scope=chat) == ()


@scene
async def test_the_owner_is_shown_the_menu_of_the_narrowest_scope() -> None:
    async with rig() as camp:
        assert menu(camp.state) == []
        await camp.bot.set_my_commands([HELP])
        assert menu(camp.state) == [{"command": "help", "description": "What I can do"}]
        await camp.bot.set_my_commands([BotCommand("stop", "Stop")], scope=BotCommandScopeChat(OWNER))
        await camp.bot.set_my_commands([BotCommand("la", "Latine")], language_code="la")
        assert [it["command"] for it in menu(camp.state)] == ["stop"]


@scene
async def test_commands_that_telegram_would_not_take_are_refused() -> None:
    async with rig() as camp:
        good = {"command": "help", "description": "x"}
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("commands must be non-empty", {"commands": []}),
            ("BOT_COMMANDS_TOO_MUCH", {"commands": [good] * 101}),
            ("BOT_COMMAND_INVALID", {"commands": [good | {"command": "Help"}]}),
            ("BOT_COMMAND_INVALID", {"commands": [good | {"command": "a" * 33}]}),
            ("BOT_COMMAND_INVALID", {"commands": ["help"]}),
            ("BOT_COMMAND_DESCRIPTION_INVALID", {"commands": [good | {"description": ""}]}),
            ("BOT_COMMAND_DESCRIPTION_INVALID", {"commands": [good | {"description": "x" * 257}]}),
            ("BOT_COMMAND_DESCRIPTION_INVALID", {"commands": [{"command": "help"}]}),
            ("unsupported type specified", {"commands": [good], "scope": {"type": "moon"}}),
            ("chat not found", {"commands": [good], "scope": {"type": "chat", "chat_id": 8}}),
        ]
        for words, values in wrong:
            assert words in await camp.refusal("setMyCommands", **values)


@scene
async def test_the_menu_button_is_the_chats_or_the_common_one() -> None:
    async with rig() as camp:
        assert (await camp.bot.get_chat_menu_button(OWNER)).type == "default"
        await camp.bot.set_chat_menu_button(menu_button=MenuButtonWebApp("Camp", WebAppInfo("https://a.b")))
        assert (await camp.bot.get_chat_menu_button(OWNER)).type == "web_app"
        await camp.bot.set_chat_menu_button(OWNER)
        assert (await camp.bot.get_chat_menu_button(OWNER)).type == "default"
        await camp.bot.set_chat_menu_button(OWNER, MenuButtonCommands())
        assert (await camp.bot.get_chat_menu_button(OWNER)).type == "commands"
        assert (await camp.bot.get_chat_menu_button()).type == "web_app"
        for button, words in [
            ({"type": "web_app", "text": "a", "web_app": {"url": "http://a.b"}}, "BUTTON_URL_INVALID"),
            ({"type": "web_app", "text": "a", "web_app": {"url": "https://"}}, "BUTTON_URL_INVALID"),
            ({"type": "web_app", "text": "a"}, 'can\'t parse menu button: Field "web_app" must have a url'),
            (
                {"type": "web_app", "text": " ", "web_app": {"url": "https://a.b"}},
                'can\'t parse menu button: Field "text" must be of type String',
            ),
            ({"type": "moon"}, "invalid menu button type specified"),
        ]:
            assert await camp.refusal("setChatMenuButton", menu_button=button) == words


@scene
async def test_a_topic_can_be_opened_where_topics_are_on_and_messages_name_it() -> None:
    async with rig() as camp:
        with pytest.raises(BadRequest, match="The chat is not a forum"):
            await camp.bot.create_forum_topic(OWNER, "vorenus")
        camp.state.topics_enabled = True
        topic = await camp.bot.create_forum_topic(OWNER, "vorenus")
        sent = await camp.bot.send_message(OWNER, "here", message_thread_id=topic.message_thread_id)
        assert (sent.message_thread_id, sent.is_topic_message) == (topic.message_thread_id, True)
        assert await camp.refusal("createForumTopic", chat_id=OWNER, name="") == "TOPIC_TITLE_EMPTY"
        assert (
            await camp.refusal("createForumTopic", chat_id=OWNER, name="a" * 129) == "topic name is too long"
        )


@scene
async def test_a_file_of_the_owners_can_be_fetched_up_to_20_megabytes() -> None:
    async with rig() as camp:
        small = camp.state.send_file(Upload("a.txt", b"abc"))["message"]["document"]["file_id"]
        large = camp.state.files.add(Upload("b.bin", bytes(DOWNLOAD_BYTES + 1)), "document").id
        file = await camp.bot.get_file(small)
        assert bytes(await file.download_as_bytearray()) == b"abc"
        with pytest.raises(BadRequest, match="File is too big"):
            await camp.bot.get_file(large)
        with pytest.raises(BadRequest, match="Wrong file_id or the file is temporarily unavailable"):
            await camp.bot.get_file("nonsense")
