"""The camp seen from above: the page for its owner, and how Legio is for machines that watch over it.

access    who may enter
page      one page with several rooms
rooms     what there is to see and to do in each, with the pictures and tables beside this
wire      JSON in and out, and `streaming` what comes by itself
health    what is a good sign and what is a bad one, said in sentences
metrics   the figures as Prometheus reads them
server    all of it over HTTP
"""

from legio.console.health import Bounds
from legio.console.metrics import Metrics
from legio.console.server import Console, console, create_app

__all__ = ["Bounds", "Console", "Metrics", "console", "create_app"]
