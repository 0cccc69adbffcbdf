"""The camp seen from above: how the running Legio is, for machines that watch over it.

health    what is a good sign and what is a bad one, said in sentences
metrics   the figures as Prometheus reads them
server    both over HTTP, on this machine alone
"""

from legio.console.health import Bounds
from legio.console.metrics import Metrics
from legio.console.server import Console, console

__all__ = ["Bounds", "Console", "Metrics", "console"]
