"""What the core says, as messages for Caesar's chat: the Messenger port over Telegram.

Here is decided what one answer looks like: which message replies, which one rings, when a document stands
for the rest. How Markdown is shown is for `render` to say, how things are sent for `outbox`, and what is
passing for `rollcall`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from legio.bot.excerpt import excerpt, plain_to_see
from legio.bot.payload import DocumentMessage, FileMessage, Message, TextMessage, encode, in_rows
from legio.bot.piece import Piece, sendable
from legio.bot.reactions import Reactions
from legio.bot.render import cut, render
from legio.bot.rollcall import RollCall
from legio.bot.topics import Topics
from legio.events import Event
from legio.nuntius import PHOTO, Attachment, Turn
from legio.ports import Block, Button, Parcel, Ring

MOST_MESSAGES: Final = 4
"""An answer of up to four messages is sent as such; a longer one as its first message and the whole of it as
a Markdown document, so that nobody has to scroll through a chat to read a book."""

MOST_RENDERED: Final = 50_000
"""Of an answer longer than this only so many characters are rendered: the document has them all, and to cut
two megabytes of Markdown into messages would hold up everybody else for seconds."""

NOTICE_UNITS: Final = 4000
CAPTION_UNITS: Final = 1000
"""Telegram takes 1024, and a mark may have to stand above."""
PHOTO_BYTES: Final = 10_000_000
"""A larger picture Telegram takes as a document only."""
LEAD_UNITS: Final = 900
BLOCK_UNITS: Final = 2600
"""What a notice with a block has room for: the rest is for the outcome that is written under it."""


class TelegramMessenger:
    """Speaks to the one chat `chat`; `wake` calls the courier."""

    def __init__(
        self,
        chat: int,
        roll_call: RollCall,
        wake: Callable[[], None],
        reactions: Reactions | None = None,
        topics: Topics | None = None,
    ) -> None:
        self._chat = chat
        self._reactions = reactions
        self._topics = topics
        self._roll_call = roll_call
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
        thread = self._place(turn.agent, turn.message)
        return tuple(self._parcel(message, thread) for message in messages)

    def notice(
        self,
        text: str,
        buttons: Sequence[Button] = (),
        *,
        reply_to: int | None = None,
        block: Block | None = None,
        ring: Ring = Ring.USUAL,
        about: str = "",
    ) -> Parcel:
        """Plain text, cut with a sign that it was; with a block under it both are shorter."""
        pieces = cut(Piece(sendable(text).strip()), units=NOTICE_UNITS if block is None else LEAD_UNITS)
        shown = Piece(pieces[0].text if pieces else "…")
        if len(pieces) > 1:
            shown = Piece(" …").after(shown)
        if block is not None:
            shown = excerpt(block, units=BLOCK_UNITS).after(Piece(f"{plain_to_see(shown.text)}\n\n"))
        return self._parcel(
            TextMessage(
                shown.text,
                shown.entities,
                reply_to=reply_to,
                buttons=in_rows(buttons),
                silent=ring is Ring.SILENT,
                urgent=ring is Ring.URGENT,
            ),
            self._place(about, reply_to),
        )

    def file(self, turn: Turn, heading: str, file: Attachment, caption: str) -> Parcel:
        """In reply to the turn's message, under who sends it and what he says of it."""
        said = Piece(sendable("\n".join(filter(None, (f"⚔️ {heading}", caption)))))
        picture = file.kind == PHOTO and file.size <= PHOTO_BYTES
        shown, *rest = (piece.text for piece in cut(said, units=CAPTION_UNITS))
        caption = f"{shown} …" if rest else shown
        sent = FileMessage(file.path, file.name, caption, picture, reply_to=turn.message)
        return self._parcel(sent, self._place(turn.agent, turn.message))

    def progress(self, turn: Turn, event: Event) -> None:
        """Shown as far as Telegram bears it."""
        self._roll_call.show(turn, event)
        if self._reactions is not None:
            self._reactions.show(turn, event)

    def wake(self) -> None:
        """Calls the courier."""
        self._wake()

    def _place(self, agent: str, reply_to: int | None) -> int | None:
        """The topic of what is about `agent` and replies to that message."""
        return None if self._topics is None else self._topics.where(agent, reply_to)

    def _parcel(self, message: Message, thread: int | None) -> Parcel:
        return Parcel(self._chat, encode(replace(message, thread=thread)))
