"""What goes with a question beside its words, as an agent can take it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from legio.nuntius import Nuntius


@dataclass(frozen=True, slots=True)
class Picture:
    """An image within the model's limits; `data` is the file as `media_type` names it."""

    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Enclosed:
    """The attachments of one nuntius, opened. `texts`, `flaws` and `lent` go by an attachment's path.

    A text is what stands in a text file, perhaps cut; a flaw says why a file cannot be shown; what is lent
    lies at that path of the agent's workspace, for his own tools.
    """

    pictures: tuple[Picture, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    flaws: Mapping[str, str] = field(default_factory=dict)
    lent: Mapping[str, str] = field(default_factory=dict)


Enclose = Callable[[Nuntius, Path | None], Awaitable[Enclosed]]
"""Opens what came with a nuntius, and lends it to the workspace if one is named.

Never raises for a file: what cannot be opened has its flaw.
"""
