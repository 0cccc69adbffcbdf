"""`python -m legio` is `legio`."""

import sys

from legio.cli import main

sys.exit(main())
