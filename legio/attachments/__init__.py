"""Files that come to the legion and go from it: kept in the castra, shown to agents, sent by them.

How files come over Telegram, and how they are sent there, is the business of `legio/bot`.
"""

from legio.attachments.depot import Depot
from legio.attachments.opening import Opening, is_picture
from legio.attachments.pictures import fit
from legio.attachments.tools import Sending, file_tools

__all__ = ["Depot", "Opening", "Sending", "file_tools", "fit", "is_picture"]
