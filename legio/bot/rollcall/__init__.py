"""The roll-call: who was called by a message of Caesar's, what each does, and what became of him.

    roll (who is called, and how he stands) -> face (text and buttons) -> rollcall (when it is shown)

One silent status message for each nuntius of Caesar's, edited in place, folded into one line at the end. It
is passing: nothing of it is owed to anybody, so nothing is queued, and answers always go first.
"""

from legio.bot.rollcall.chat import Chat
from legio.bot.rollcall.rollcall import RollCall

__all__ = ["Chat", "RollCall"]
