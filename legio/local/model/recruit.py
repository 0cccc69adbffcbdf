"""The scripted recruit: a pure function from what he was asked to what shall be done.

He follows the rules of one table, first match first; the help he gives and the page shows is that table.
He says once in each thread that he is no model. How his script is performed is the server's business.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from legio.local.model import acts
from legio.local.model.acts import Asked
from legio.local.model.conversation import Conversation, read_conversation
from legio.local.model.request import ModelRequest
from legio.local.model.script import Answer, Failure, Performed, Retried, Script, Silence, Verbatim

MAX_SECONDS = 600.0
MAX_DEPTH = 8
TIMES = {"once": 1, "twice": 2, "thrice": 3}


Act: TypeAlias = Callable[[Asked, Conversation], Script]


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing the recruit obeys: shown as `example` and `does`, matched by `pattern`, done by `act`."""

    example: str
    does: str
    pattern: re.Pattern[str]
    act: Act


def recruit(request: ModelRequest) -> Script:
    """What the recruit does about `request`."""
    conversation = read_conversation(request)
    return _obey(conversation.asked, conversation)


def help_text() -> str:
    """The rules as a Markdown list, for the recruit's own `help` and for the page."""
    return "\n".join(f"- `{rule.example}`: {rule.does}" for rule in RULES)


def _obey(text: str, conversation: Conversation) -> Script:
    for rule in RULES:
        if match := rule.pattern.fullmatch(text.strip()):
            return rule.act(match, conversation)
    return acts.quote(text, conversation)


def _help(_: Asked, conversation: Conversation) -> Script:
    return acts.say(f"My rules:\n\n{help_text()}\n\nAnything else I quote.", conversation)


# --- what may stand in front of another rule ----------------------------------------------------------


def _then(text: str, conversation: Conversation) -> Script:
    """The rest of what was asked; a text that nests without end is quoted instead."""
    if conversation.depth == MAX_DEPTH:
        return acts.quote(text, conversation)
    return _obey(text, replace(conversation, depth=conversation.depth + 1))


def _slow(asked: Asked, conversation: Conversation) -> Script:
    seconds = min(float(asked["seconds"]), MAX_SECONDS)
    rest = asked["rest"]
    script = _then(rest, conversation) if rest else acts.say(f"I waited {seconds:g} s.", conversation)
    return script if conversation.deeds else _delayed(script, seconds)


def _delayed(script: Script, seconds: float) -> Script:
    match script:
        case Answer() | Failure():
            return replace(script, delay=seconds)
        case Retried():
            return replace(script, then=_delayed(script.then, seconds))
        case Silence() | Verbatim():
            return script
        case _ as never:
            assert_never(never)


def _think(asked: Asked, conversation: Conversation) -> Script:
    rest = asked["rest"]
    script = _then(rest, conversation) if rest else acts.say("I thought, as far as I can.", conversation)
    if conversation.deeds or not isinstance(script, Answer):
        return script
    return replace(script, thinking=f"Which of my rules fits? I was asked: {rest or 'to think'}.")


def _faulty(fault: Callable[[Asked], Performed]) -> Act:
    """An act that goes wrong on every try or, when asked to, so many times before it does the rest."""

    def act(asked: Asked, conversation: Conversation) -> Script:
        times, rest = asked["times"], asked["rest"]
        if not times and not rest:
            return fault(asked)
        script = _then(rest, conversation) if rest else acts.say("It works again.", conversation)
        # a turn's later requests come after its tools have run: they are not tries of the first one
        return script if conversation.deeds else Retried(fault(asked), _count(times or "once"), script)

    return act


def _count(times: str) -> int:
    return TIMES.get(times.lower()) or int(times.split()[0])


# --- the table ----------------------------------------------------------------------------------------

_NAMES = r"(?P<names>[\\@]*[A-Za-z][\w-]*(?:(?:\s*,\s*|\s+and\s+)[\\@]*[A-Za-z][\w-]*)*)"
_REST = r"(?:\s+(?:then\s+)?(?P<rest>.+))?"

_TIMES = r"(?:\s+(?P<times>once|twice|thrice|\d{1,3}\s+times?))?(?:\s+then\s+(?P<rest>.+))?"


def _rule(example: str, does: str, pattern: str, act: Act) -> Rule:
    return Rule(example, does, re.compile(pattern, re.IGNORECASE | re.DOTALL), act)


RULES = (
    _rule("help", "lists these rules.", r"help\??", _help),
    _rule(
        "remember the ford is deep", "publishes it as an actum.", r"remember\s+(?P<text>.+)", acts.remember
    ),
    _rule(
        "remind me tomorrow at nine to call Livia",
        "sets up a reminder.",
        r"remind\s+me\s+(?P<when>.+?)\s+(?:to|that|of)\s+(?P<text>.+)",
        acts.remind,
    ),
    _rule(
        r"schedule every Monday 8:00: \@vorenus who is here",
        "sets up a task for later.",
        r"schedule\s+(?P<when>.+?):\s+(?P<text>.+)",
        acts.schedule,
    ),
    _rule("note the ford is deep", "writes it into his own commentarii.", r"note\s+(?P<text>.+)", acts.note),
    _rule("order speak plainly", "publishes it as an edictum.", r"order\s+(?P<text>.+)", acts.order),
    _rule(
        "what do the edicta say",
        "lists the edicta (or acta, or commentarii) and reads the first one.",
        r"what\s+do\s+the\s+(?P<kind>edicta|acta|commentarii)\s+say\??",
        acts.recite,
    ),
    _rule(
        "ask vorenus and pullo to count the tents",
        "dispatches the task to each of them at once and sums up what they answer.",
        rf"ask\s+{_NAMES}\s+to\s+(?P<text>.+)",
        acts.dispatch,
    ),
    _rule("who is here", "lists the centuriones.", r"who\s+is\s+here\??", acts.who),
    _rule(
        "recruit titus as a cook",
        "creates a centurio with that specialization.",
        r"recruit\s+(?P<name>[\w-]+)\s+as\s+(?P<text>.+)",
        acts.enlist,
    ),
    _rule(
        "what do you see",
        "says which pictures and files came with the message, and which words it is about.",
        r"what\s+do\s+you\s+see\??",
        acts.look,
    ),
    _rule(
        "send me the file report.md",
        "sends it from his workspace, if it is there.",
        r"send\s+me\s+the\s+(?:file|picture)\s+(?P<path>.+)",
        acts.send,
    ),
    _rule(
        "what was said",
        "lists what this thread has heard so far.",
        r"what\s+was\s+said\??|history",
        acts.history,
    ),
    _rule(
        "create a detailed summary of the conversation",
        "does the same; clients ask for it when a context is full.",
        r".*\bcreate a detailed summary of the conversation\b.*",
        acts.history,
    ),
    _rule("echo Ave!", "answers exactly that text.", r"echo\s(?P<text>.+)", acts.echo),
    _rule("markdown", "shows every kind of formatting.", r"markdown", acts.markdown),
    _rule("long 500", "streams that many words.", r"long\s+(?P<count>\d{1,9})", acts.long),
    _rule(
        'tool read_actum {"name": "ford"}',
        "calls any tool with these arguments and reports the result as it is.",
        r"tool\s+(?P<tool>\w+)\s*(?P<arguments>\{.*\})?",
        acts.use,
    ),
    _rule(
        "think what was said", "begins with a thinking block, then does the rest.", rf"think{_REST}", _think
    ),
    _rule(
        "slow 5 then who is here",
        "waits 5 seconds (600 at most) before the first byte, then does the rest.",
        rf"slow\s+(?P<seconds>\d+(?:\.\d+)?){_REST}",
        _slow,
    ),
    _rule(
        "fail 529 twice then who is here",
        "fails with that HTTP status: on every try, or so many times (`once`, `twice`, `thrice`, `4 times`)"
        " and then does the rest; `fail 429 retry-after 3` says when to come again.",
        rf"fail\s+(?P<status>[45]\d\d)(?:\s+retry-after\s+(?P<wait>\d{{1,4}}))?{_TIMES}",
        _faulty(acts.fail),
    ),
    _rule(
        "stall",
        "begins to answer and falls silent; `cut` closes the connection there, `error` sends an error there;"
        " `cut once then help` works too.",
        rf"(?P<how>stall|cut|error){_TIMES}",
        _faulty(acts.broken),
    ),
    _rule("hang", "accepts the request and never answers.", rf"hang{_TIMES}", _faulty(acts.hang)),
    _rule("too long", "fails as if the context were full.", r"too\s+long", acts.too_long),
    _rule("empty", "gives an empty answer.", r"empty", acts.empty),
)
"""Every rule in the order in which they are tried."""
