"""The menu button, against the embedded Bot API server."""

import pytest
from structlog.testing import capture_logs
from telegram import MenuButtonWebApp, WebAppInfo

from legio.bot.menu import LABEL, show_console
from legio.local.botapi.faults import Trouble
from tests.local.botapi.rig import OWNER, Rig, rig
from tests.scenes import scene

HERE, MOVED = "https://camp.example.org", "https://new.example.org"


def opens(url: str) -> dict[str, object]:
    return {"type": "web_app", "text": LABEL, "web_app": {"url": f"{url}/login"}}


def settings_of(camp: Rig) -> int:
    return sum(call.method == "setChatMenuButton" for call in camp.state.calls)


@scene
async def test_the_button_opens_the_console_in_caesars_chat_alone_and_follows_it() -> None:
    async with rig() as camp:
        await show_console(camp.bot, OWNER, HERE)
        assert camp.state.menu_buttons == {OWNER: opens(HERE)}
        await show_console(camp.bot, OWNER, HERE)
        assert settings_of(camp) == 1, "what stands there already is not set again"
        await show_console(camp.bot, OWNER, MOVED)
        assert camp.state.menu_buttons == {OWNER: opens(MOVED)}


@scene
async def test_without_an_address_our_button_goes_and_anothers_stays() -> None:
    async with rig() as camp:
        await show_console(camp.bot, OWNER, None)
        assert settings_of(camp) == 0
        await show_console(camp.bot, OWNER, HERE)
        await show_console(camp.bot, OWNER, None)
        assert camp.state.menu_buttons[OWNER] == {"type": "default"}
        theirs = MenuButtonWebApp("Shop", WebAppInfo("https://shop.example.org"))
        await camp.bot.set_chat_menu_button(OWNER, theirs)
        await show_console(camp.bot, OWNER, None)
        assert await camp.bot.get_chat_menu_button(OWNER) == theirs


@pytest.mark.parametrize("method", ["getChatMenuButton", "setChatMenuButton"])
@scene
async def test_a_button_that_cannot_be_set_is_only_logged(method: str) -> None:
    async with rig() as camp:
        camp.state.faults.arm(method, Trouble.BAD_GATEWAY)
        with capture_logs() as logs:
            await show_console(camp.bot, OWNER, HERE)
    assert [entry["event"] for entry in logs] == ["menu.console_unset"]
