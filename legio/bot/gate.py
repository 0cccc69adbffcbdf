"""Who passes: Caesar alone, in his private chat, by numeric id. Others get nothing and cost nothing."""

from telegram import Chat, Update

ALLOWED_UPDATES = ("message", "edited_message", "callback_query")
"""The kinds of update Legio asks Telegram for; all others would be dropped here anyway."""


def admits(update: Update, caesar_id: int) -> bool:
    """Whether `update` is Caesar's own word or press in his private chat with the bot.

    A press counts by who pressed, and only under a message in that chat: a message that was forwarded, an
    inline result, a channel or an anonymous admin never passes.
    """
    if update.callback_query is not None:
        query = update.callback_query
        return (
            query.from_user.id == caesar_id
            and query.message is not None
            and _his(query.message.chat, caesar_id)
        )
    message = update.message or update.edited_message
    if message is None or message.from_user is None or message.sender_chat is not None:
        return False
    return message.from_user.id == caesar_id and _his(message.chat, caesar_id)


def _his(chat: Chat, caesar_id: int) -> bool:
    return chat.type == Chat.PRIVATE and chat.id == caesar_id
