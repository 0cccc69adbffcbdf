"""What is noticed of the running Legio. It stands beside the life of a nuntius and never in its way.

measured  turns on their way: what it passes on it passes on first
steps     what agents do in them, for the feed
signs     errors dated, and how each part is, all of it in one pulse
"""

from legio.watch.measured import Measured
from legio.watch.signs import LiveVitals, Signs, last_error, watched
from legio.watch.steps import Steps

__all__ = ["LiveVitals", "Measured", "Signs", "Steps", "last_error", "watched"]
