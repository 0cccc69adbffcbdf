"""What has to hold at every instant, whatever has been done to Legio: each law raises `AssertionError`.

conservation   received = answered + failed + stopped + expired + pending, and the record is sound
one end        a turn that has ended stays as it ended, with one reply, and one parcel for that reply
visibility     no thread is ever given a nuntius that its agent may not see
once, in order a thread holds each nuntius once, in the order in which they were said
no gap         a thread that is asked something has been given all that its agent may see of before
own words      only a new thread is told what its agent said himself: in all others it stands already
the same words what a thread was told of a nuntius is what the record says of it, then and ever after
the feed       says of each turn, once, how it began and how it ended
no bug         no turn failed inside of Legio
"""

import re
from collections import Counter

from legio.bot.sending import DUPLICATE
from legio.context import RECALLED
from legio.nuntius import Nuntius, visible
from legio.praetorium.audit import audit
from legio.praetorium.nuntii import nuntius_of
from legio.praetorium.turns import count_turns
from tests.pipeline.life import World
from tests.pipeline.transcripts import Asked
from tests.praetorium.record import UNTOLD

_TOLD = re.compile(r'<(?:nuntius|message from="[^"]*") id="([^"]+)"')
_QUESTION = re.compile(r'<message from="[^"]*" id="([^"]+)"')
_WORDS = re.compile(r'<(nuntius|message) [^>]*\bid="([^"]+)"[^>]*>(.*?)</\1>', re.DOTALL)
_ANSWER = re.compile(r"\banswer \d+\.")
_REPEATED = re.compile(rf"<interrupted>{re.escape(RECALLED)}</interrupted>")
_ENDS = "SELECT id, state, reply FROM turns WHERE ended IS NOT NULL"
_PARCELS = """
    SELECT turns.reply FROM turns LEFT JOIN outbox ON outbox.seq = turns.reply
    JOIN nuntii ON nuntii.seq = turns.nuntius
    WHERE turns.reply IS NOT NULL AND nuntii.sender = 'caesar'
    GROUP BY turns.reply HAVING count(outbox.id) <> 1
"""


class Laws:
    """Looks at a world again and again, and remembers what may not change."""

    def __init__(self, world: World, *, windowed: bool) -> None:
        self._world = world
        self._windowed = windowed
        self._ended: dict[int, tuple[str, int | None]] = {}

    def look(self, asked: list[Asked]) -> None:
        """All laws; `asked` are the asks that are new since the last look."""
        self._conservation()
        self._one_end()
        self._once_in_the_chat()
        nuntii = {
            nuntius.id: nuntius for nuntius in map(nuntius_of, self._world.rows("SELECT * FROM nuntii"))
        }
        for ask in asked:
            self._thread(ask, nuntii)

    def _conservation(self) -> None:
        tally = count_turns(self._world.record)
        assert tally.holds, tally
        assert audit(self._world.record) == ()
        bugs = self._world.rows("SELECT detail FROM turns WHERE detail LIKE '%Error(%'")
        assert not bugs, bugs[0]["detail"]

    def _one_end(self) -> None:
        now = {row["id"]: (row["state"], row["reply"]) for row in self._world.rows(_ENDS)}
        changed = {turn: (end, now.get(turn)) for turn, end in self._ended.items() if now.get(turn) != end}
        assert not changed, f"ended turns were changed: {changed}"
        self._ended = now
        assert self._world.rows(_PARCELS) == [], "a reply has not exactly one parcel"
        assert self._world.rows(UNTOLD) == [], "the feed says something else than the record"

    def _once_in_the_chat(self) -> None:
        unmarked = Counter(text for text in self._world.chat.arrived if DUPLICATE not in text)
        doubled = [text for text, count in unmarked.items() if count > 1 and _ANSWER.search(text)]
        assert not doubled, f"came twice without a mark: {doubled}"

    def _thread(self, ask: Asked, nuntii: dict[str, Nuntius]) -> None:
        told = [nuntii[each] for text in ask.held for each in _ids(text)]
        hidden = [nuntius for nuntius in told if not visible(ask.agent, nuntius)]
        assert not hidden, f"{ask.agent} was told what is not for him: {hidden}"
        seqs = [nuntius.seq for nuntius in told]
        assert seqs == sorted(set(seqs)), f"{ask.agent}'s thread holds {seqs}"
        own = [each for text in ask.held[1:] for each in _ids(text) if nuntii[each].sender == ask.agent]
        assert not own, f"{ask.agent}'s thread was told his own words: {own}"
        self._words(ask, nuntii)
        self._gaps(ask, seqs, nuntii)

    def _words(self, ask: Asked, nuntii: dict[str, Nuntius]) -> None:
        for text in ask.held:
            for _, each, words in _WORDS.findall(text):
                assert nuntii[each].text in words, f"{ask.agent} was told {words!r} of {nuntii[each]}"

    def _gaps(self, ask: Asked, seqs: list[int], nuntii: dict[str, Nuntius]) -> None:
        question = _QUESTION.search(ask.text)
        if self._windowed or question is None:
            return
        reset = self._world.rows("SELECT since FROM sessions WHERE agent = ?", ask.agent)
        floor, last = reset[0]["since"], nuntii[question[1]].seq
        owed = {
            nuntius.seq
            for nuntius in nuntii.values()
            if floor < nuntius.seq <= last and nuntius.sender != ask.agent and visible(ask.agent, nuntius)
        }
        assert owed <= set(seqs), f"{ask.agent} was never told {sorted(owed - set(seqs))}; his thread: {seqs}"


def _ids(text: str) -> list[str]:
    """What the text gives to the thread; a message that is repeated after an interruption is no news."""
    ids = _TOLD.findall(text)
    return ids[:-1] if _REPEATED.search(text) else ids
