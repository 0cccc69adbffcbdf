"""The Telegram gate: the only importer of `telegram`."""

import os

# Without it python-telegram-bot 22 warns each time that a RetryAfter is so much as created, and an
# application that turns warnings into errors would lose the wait that Telegram asked for.
os.environ.setdefault("PTB_TIMEDELTA", "true")
