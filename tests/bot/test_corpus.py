"""The test page: the Markdown that models write and converters trip over, page by page.

No text is lost when each word and figure of a page can be read in its messages, or followed as a link's
target, or stands as a block's language, at least as often as it was written and in its order. What may go is
named here, word by word.
"""

import re
from collections import Counter
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telegram import MessageEntity

from legio.bot.messenger import TelegramMessenger
from legio.bot.payload import DocumentMessage, decode
from legio.bot.piece import ENTITIES, TEXT_UNITS, utf16_length
from legio.bot.render import render
from legio.bot.rollcall import RollCall
from legio.bot.sending import Delivered, deliver
from legio.clock import SystemClock
from legio.nuntius import Turn
from legio.ports import Dispatch
from tests.bot.pages import PAGES, assert_valid, in_order, lost, missing
from tests.bot.wire import FakeTelegram, MemoryRollCalls, bot_on, chat_on
from tests.local.botapi.rig import OWNER, rig
from tests.praetorium.record import said
from tests.scenes import scene

GONE = {
    # The x of a task that is done is its tick.
    "answer": Counter({"x": 1}),
    "lists": Counter({"x": 2}),
    # A break is a new line.
    "html": Counter({"br": 2}),
    # Telegram shows no title of a link, and the name by which its target is referred to has done its work.
    "links": Counter({"title": 2, "The": 1, "ref": 2, "collapsed": 1, "shortcut": 1}),
    # Commands of LaTeX are the signs that they stand for, and figures are set low or high.
    "maths": Counter(
        {"frac": 4, "pi": 3, "infty": 2, "int": 1, "sqrt": 1, "sum": 1, "alpha": 1, "2": 6, "0": 1}
    ),
}

PHONE = 32
"""Letters of one width on a line of a usual phone's bubble."""

MOVED = {"answer", "tables", "fences", "links"}
"""Where something is found elsewhere than it was written: headers before each cell of a table that is written
as its rows, a file's name above its code, the target of a reference at what refers to it."""


def test_the_corpus_is_as_hard_as_it_says() -> None:
    assert len(PAGES["long"]) >= 10_000
    assert PAGES["bold"].count("**") == 600
    assert len(PAGES) == 12


@pytest.mark.parametrize("name", PAGES)
def test_no_text_of_a_page_is_lost(name: str) -> None:
    pieces = render(PAGES[name], f"⚔️ vorenus — {name}")
    assert lost(PAGES[name], pieces) == GONE.get(name, Counter())
    assert name in MOVED or in_order(PAGES[name], pieces)


@pytest.mark.parametrize("name", PAGES)
def test_no_grid_is_wider_than_a_phone(name: str) -> None:
    for piece in render(PAGES[name]):
        for line in piece.text.splitlines():
            if set(line) <= set("-+ ") and "-" in line:
                assert len(line) <= PHONE


@scene
async def test_a_strict_server_takes_every_page_as_it_is() -> None:
    async with rig() as it:
        for name, page in PAGES.items():
            for piece in render(page, f"⚔️ vorenus — {name}"):
                assert utf16_length(piece.text) <= TEXT_UNITS
                assert len(piece.entities) <= ENTITIES
                entities = [MessageEntity(**asdict(entity)) for entity in piece.entities]
                sent = await it.bot.send_message(OWNER, piece.text, entities=entities)
                assert sent.text == piece.text
                assert len(sent.entities) >= len(entities), "none was dropped"
        assert not it.state.refused


@scene
async def test_what_is_longer_than_four_messages_is_its_first_one_and_a_document() -> None:
    whole = "\n\n".join(PAGES.values())
    async with rig() as it:
        chat = chat_on(bot_on(FakeTelegram()), OWNER, SystemClock())
        messenger = TelegramMessenger(OWNER, RollCall(chat, MemoryRollCalls()), lambda: None)
        parcels = messenger.answer(Turn(1, "vorenus", said("all"), 1), "vorenus — all", whole)
        for parcel in parcels:
            assert isinstance(await deliver(it.bot, Dispatch(1, parcel, 0, doubtful=False)), Delivered)
        first, document = it.state.answers
        assert not it.state.refused
    kept = decode(parcels[-1].payload)
    assert isinstance(kept, DocumentMessage)
    assert whole.strip() in kept.content
    assert first.text.plain.startswith("⚔️ vorenus — all\n")
    assert document.media is not None
    assert document.media.kind == "document"


# --- and however the pages are cut up ---

BLOCKS = [block for page in PAGES.values() for block in page.split("\n\n")]
LOSSLESS = [block for block in BLOCKS if not re.search(r"\$|\\|\]\(|\]:|\]\[|\[x\]|<br|&", block)]
"""Blocks of which no letter may go: no formula, link, tick or entity."""

SEAMS = st.sampled_from(["\n\n", "\n", " ", "\n> ", "\n- "])


def patchwork(blocks: list[str]) -> st.SearchStrategy[str]:
    """Some of the blocks, put together anyhow, and broken off anywhere near the end."""
    together = st.builds(str.join, SEAMS, st.lists(st.sampled_from(blocks), min_size=1, max_size=6))
    return st.builds(lambda text, left: text[: max(1, len(text) - left)], together, st.integers(0, 200))


@settings(deadline=None, max_examples=150)
@given(patchwork(BLOCKS))
def test_any_patchwork_of_pages_is_valid(markdown: str) -> None:
    for piece in render(markdown, "vorenus"):
        assert 0 < utf16_length(piece.text) <= TEXT_UNITS
        assert len(piece.entities) <= ENTITIES
        assert_valid(piece)


@settings(deadline=None, max_examples=150)
@given(patchwork(LOSSLESS))
def test_no_letter_of_a_patchwork_is_lost(markdown: str) -> None:
    assert missing(markdown, render(markdown)) == ""
