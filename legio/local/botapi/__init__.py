"""A Bot API server in one process: as strict as Telegram where a bot can be hurt by it, and with one owner.

`state.BotApiState` is what there is and what people do; `server` is what a bot may call. Of the bot they
know nothing: it is one more client on loopback.
"""
