"""What Caesar sends beside text: read from the message, fetched, put into words, and passed on as one."""

from legio.bot.attachments.arrivals import Arrivals, Part
from legio.bot.attachments.contents import content, passing, said_in
from legio.bot.attachments.porter import Porter
from legio.bot.attachments.transcriber import Transcriber

__all__ = ["Arrivals", "Part", "Porter", "Transcriber", "content", "passing", "said_in"]
