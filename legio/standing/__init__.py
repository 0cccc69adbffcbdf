"""Standing work: what Caesar or the Legatus wants said or done at an instant, and his quiet hours.

`understanding` makes an instant of what people write, `occurrences` knows when it comes again, `standing`
sets it up and takes it away, `scheduler` does it, and `quiet` says when no phone may ring.
"""

from legio.standing.quiet import QuietHours
from legio.standing.scheduler import Scheduler
from legio.standing.standing import Standing

__all__ = ["QuietHours", "Scheduler", "Standing"]
