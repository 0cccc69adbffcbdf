import asyncio
import socket
from typing import Self

import pytest
from telegram import Update
from telegram.error import BadRequest, Conflict
from telegram.ext import Application, ContextTypes, MessageHandler, filters

from tests.local.botapi.rig import TOKEN, Rig, a_bot, rig
from tests.scenes import scene, until


class Listener:
    """A whole bot: the real Application with one handler that keeps and answers what it hears."""

    def __init__(self, camp: Rig) -> None:
        self.heard: list[str] = []
        builder = Application.builder().token(TOKEN)
        builder = builder.base_url(f"{camp.url}/bot").base_file_url(f"{camp.url}/file/bot")
        self.application = builder.build()
        self.application.add_handler(MessageHandler(filters.ALL, self._hear))

    async def _hear(self, update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        assert update.message
        assert update.message.text
        self.heard.append(update.message.text)
        await update.message.reply_text(f"heard {update.message.text}")

    async def __aenter__(self) -> Self:
        await self.application.initialize()
        await self.application.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        updater = self.application.updater
        assert updater
        if updater.running:
            await updater.stop()
        await self.application.stop()
        await self.application.shutdown()


@scene
async def test_a_real_bot_polls_answers_and_acknowledges() -> None:
    async with rig() as camp, Listener(camp) as listener:
        updater = listener.application.updater
        assert updater
        await updater.start_polling()
        await until(lambda: camp.state.updates.polled, what="the long poll")
        camp.state.say("one")
        camp.state.say("two")
        await camp.state.wait_for(lambda: len(camp.state.answers) == 2)
        await until(lambda: not camp.state.updates.pending, what="the acknowledgement")
        assert listener.heard == ["one", "two"]
        assert [message.text.plain for message in camp.state.answers] == ["heard one", "heard two"]


@scene
async def test_a_poll_blocks_until_there_is_news() -> None:
    async with rig() as camp:
        poll = asyncio.create_task(camp.bot.get_updates(timeout=30))
        await camp.state.wait_for(lambda: camp.state.calls)
        assert not poll.done()
        camp.state.say("hello")
        (update,) = await poll
        assert update.message
        assert update.message.text == "hello"
        assert await camp.bot.get_updates(offset=update.update_id + 1, timeout=0) == ()


@scene
async def test_of_two_bots_the_older_poll_is_ended_with_a_conflict() -> None:
    async with rig() as camp, a_bot(camp.url) as second:
        older = asyncio.create_task(camp.bot.get_updates(timeout=30))
        await until(lambda: camp.state.updates.polled, what="the first poll")
        newer = asyncio.create_task(second.get_updates(timeout=30))
        with pytest.raises(Conflict, match="make sure that only one bot instance is running"):
            await older
        camp.state.say("hello")
        assert len(await newer) == 1


@scene
async def test_a_poll_whose_caller_is_gone_ends() -> None:
    async with rig() as camp:
        poll = asyncio.create_task(camp.bot.get_updates(timeout=30))
        await until(lambda: camp.state.updates.polled, what="the poll")
        poll.cancel()
        await asyncio.gather(poll, return_exceptions=True)
        await until(lambda: not camp.state.updates.polled, what="the end of the poll")


@scene
async def test_limit_and_allowed_updates_are_kept() -> None:
    async with rig() as camp:
        await camp.bot.get_updates(timeout=0, allowed_updates=["message"])
        number = camp.state.say("one")["message"]["message_id"]
        camp.state.edit(number, "two")
        camp.state.say("three")
        assert [u.message.text for u in await camp.bot.get_updates(limit=1) if u.message] == ["one"]
        assert [u.message.text for u in await camp.bot.get_updates() if u.message] == ["one", "three"]
        assert "expected an Array" in await camp.refusal("getUpdates", allowed_updates={})


@scene
async def test_a_real_bot_is_served_by_webhook_with_its_secret() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with rig() as camp, Listener(camp) as listener:
        updater = listener.application.updater
        assert updater
        camp.state.say("before")
        url = f"http://127.0.0.1:{port}/hook"
        await updater.start_webhook("127.0.0.1", port, "hook", webhook_url=url, secret_token="s-1")
        camp.state.say("after")
        await camp.state.wait_for(lambda: len(camp.state.answers) == 2)
        assert (await camp.bot.get_webhook_info()).url == url
        assert listener.heard == ["before", "after"]


@scene
async def test_a_webhook_and_a_poll_exclude_each_other() -> None:
    async with rig() as camp:
        poll = asyncio.create_task(camp.bot.get_updates(timeout=30))
        await until(lambda: camp.state.updates.polled, what="the poll")
        assert await camp.result("setWebhook", url="http://127.0.0.1:9/hook")
        with pytest.raises(Conflict, match="terminated by setWebhook request"):
            await poll
        with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
            await camp.bot.get_updates()
        assert await camp.bot.delete_webhook()
        assert await camp.bot.get_updates() == ()


@scene
async def test_pending_updates_can_be_dropped_and_an_empty_url_ends_the_webhook() -> None:
    async with rig() as camp:
        camp.state.say("old")
        assert await camp.result("setWebhook", url="http://127.0.0.1:9/", allowed_updates=["callback_query"])
        assert await camp.result("setWebhook", url="", drop_pending_updates=True)
        assert not camp.state.webhook.active
        assert camp.state.updates.allowed == ("callback_query",)
        camp.state.updates.allow([])
        camp.state.say("old")
        assert await camp.bot.delete_webhook(drop_pending_updates=True)
        assert camp.state.updates.pending == []


@scene
async def test_a_webhook_elsewhere_is_refused() -> None:
    async with rig() as camp:
        with pytest.raises(BadRequest, match="this server delivers over http to this machine only"):
            await camp.bot.set_webhook("https://example.org/hook")
        assert await camp.refusal("setWebhook", url="http://127.0.0.1/", secret_token="a b") == (
            "secret token contains unallowed characters"
        )
