"""Telegram's menu button in Caesar's chat: it opens the console, where that can be reached from outside."""

from typing import Final

import structlog
from telegram import Bot, MenuButtonDefault, MenuButtonWebApp, WebAppInfo
from telegram.error import TelegramError

log = structlog.get_logger()

LABEL: Final = "Camp"
"""What stands on the button; by it our own is known again."""


async def show_console(bot: Bot, caesar_id: int, public_url: str | None) -> None:
    """The button opens the console at that address; without one our button is taken away again.

    A failure is logged: the console can be opened without it. A button that somebody else has set stays, as
    long as there is no address.
    """
    wanted = None if public_url is None else MenuButtonWebApp(LABEL, WebAppInfo(f"{public_url}/login"))
    try:
        shown = await bot.get_chat_menu_button(caesar_id)
        if wanted is not None and shown != wanted:
            await bot.set_chat_menu_button(caesar_id, wanted)
        elif wanted is None and isinstance(shown, MenuButtonWebApp) and shown.text == LABEL:
            await bot.set_chat_menu_button(caesar_id, MenuButtonDefault())
    except TelegramError as error:
        log.warning("menu.console_unset", error=str(error))
