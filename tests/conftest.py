"""What every test stands on: an environment without anybody's model, token or account."""

import os

from legio.config import take

take(os.environ)  # at import, before any test module reads it or any CLI is started
