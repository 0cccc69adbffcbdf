"""The embedded default: a Bot API server, a Messages API server and a chat page, all on loopback.

`legio local` runs the same bot against them; the tests run on them too. They know nothing of the bot.
"""
