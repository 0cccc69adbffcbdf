"""What the core says, as messages for Caesar's chat: the Messenger port over Telegram.

Here is decided what one answer looks like: which message replies, which one rings, when a document stands
for the rest. How Markdown is shown is for `render` to say, how things are sent for `outbox` and `progress`.
"""

from collections.abc import Callable, Sequence
from typing import Final

from legio.bot.payload import DocumentMessage, Message, Rows, TextMessage, encode
from legio.bot.piece import Piece, sendable
from legio.bot.progress import Progress
from legio.bot.render import cut, render
from legio.events import Event
from legio.nuntius import Turn
from legio.ports import Button, Parcel

MOST_MESSAGES: Final = 4
"""An answer of up to four messages is sent as such; a longer one as its first message and the whole of it as
a Markdown document, so that nobody has to scroll through a chat to read a book."""

MOST_RENDERED: Final = 50_000
"""Of an answer longer than this only so many characters are rendered: the document has them all, and to cut
two megabytes of Markdown into messages would hold up everybody else for seconds."""

NOTICE_UNITS: Final = 4000

ROW_CHARACTERS: Final = 30
"""Labels that stand side by side under a message on a phone; longer ones each take a row."""


class TelegramMessenger:
    """Speaks to the one chat `chat`; `wake` calls the courier."""

    def __init__(self, chat: int, progress: Progress, wake: Callable[[], None]) -> None:
        self._chat = chat
        self._progress = progress
        self._wake = wake

    def answer(self, turn: Turn, heading: str, text: str) -> tuple[Parcel, ...]:
        """The first message replies to the turn's and rings; those behind it do neither."""
        headed = f"⚔️ {heading}"
        pieces = render(text[:MOST_RENDERED], headed)
        messages: list[Message] = [
            TextMessage(
                piece.text, piece.entities, reply_to=None if index else turn.message, silent=index > 0
            )
            for index, piece in enumerate(pieces)
        ]
        if len(messages) > MOST_MESSAGES or len(text) > MOST_RENDERED:
            name = f"{turn.agent}-{turn.nuntius.seq}.md"
            caption = f"The whole answer: {len(text):,} characters."
            whole = DocumentMessage(name, f"{headed}\n\n{sendable(text)}\n", caption, silent=True)
            messages = [messages[0], whole]
        return tuple(self._parcel(message) for message in messages)

    def notice(self, text: str, buttons: Sequence[Button] = (), *, reply_to: int | None = None) -> Parcel:
        """Plain text, cut with a sign that it was."""
        pieces = cut(Piece(sendable(text).strip()), units=NOTICE_UNITS)
        shown = pieces[0].text if pieces else "…"
        if len(pieces) > 1:
            shown += " …"
        return self._parcel(TextMessage(shown, reply_to=reply_to, buttons=_rows(buttons)))

    def progress(self, turn: Turn, event: Event) -> None:
        """Shown as far as Telegram bears it."""
        self._progress.show(turn, event)

    def wake(self) -> None:
        """Calls the courier."""
        self._wake()

    def _parcel(self, message: Message) -> Parcel:
        return Parcel(self._chat, encode(message))


def _rows(buttons: Sequence[Button]) -> Rows:
    """Side by side while their labels fit, row under row."""
    rows: list[tuple[Button, ...]] = []
    for button in buttons:
        if rows and sum(len(it.label) for it in (*rows[-1], button)) <= ROW_CHARACTERS:
            rows[-1] += (button,)
        else:
            rows.append((button,))
    return tuple(rows)
