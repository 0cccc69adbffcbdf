"""The addresses of the memoria: what is asked for there, and what is sent."""

from starlette.routing import Route

from legio.console.page import Room
from legio.console.rooms.memoria.documents import Documents
from legio.console.rooms.memoria.prompts import Prompts
from legio.console.wire import Handler, answering
from legio.muster import Muster
from legio.ports import Clock, History, TokenCounter

HERE = "/camp/memoria"


def memoria_room(muster: Muster, history: History, counter: TokenCounter, clock: Clock) -> Room:
    """The room over the memoria and the roster that the muster makes its briefs of."""
    documents = Documents(muster.memoria, history, muster.roster)
    prompts = Prompts(muster, counter, clock)
    return Room(
        name="memoria",
        title="Memoria",
        script="/static/rooms/memoria.js",
        style="/static/rooms/memoria.css",
        routes=[
            # The prompts come first: all other words in that place are shelves.
            _reading("prompts", prompts.list),
            _writing("prompts/check", prompts.check),
            _reading("prompts/{name}", prompts.one),
            _reading("prompts/{name}/version", prompts.version),
            _reading("prompts/{name}/difference", prompts.difference),
            _writing("prompts/{name}/save", prompts.save),
            _reading("{shelf}", documents.list),
            _writing("{shelf}", documents.write),
            _reading("{shelf}/{name}", documents.one),
            _reading("{shelf}/{name}/version", documents.version),
            _reading("{shelf}/{name}/difference", documents.difference),
            _writing("{shelf}/{name}/amend", documents.amend),
            _writing("{shelf}/{name}/revoke", documents.revoke),
            _writing("{shelf}/{name}/restore", documents.restore),
        ],
    )


def _reading(path: str, handler: Handler) -> Route:
    return Route(f"{HERE}/{path}", answering(handler), methods=["GET"])


def _writing(path: str, handler: Handler) -> Route:
    return Route(f"{HERE}/{path}", answering(handler), methods=["POST"])
