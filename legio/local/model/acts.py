"""What the recruit does by each plain rule: which tool he calls, what he then says, how he fails.

Each act takes the match of its rule and the conversation, and returns a script. Which rule fits, and what
may stand in front of it, is decided by the table in `recruit`.
"""

import json
import re
from collections.abc import Iterator, Mapping

from legio.local.model.conversation import NOTICE, Conversation, Deed
from legio.local.model.samples import MARKDOWN, words
from legio.local.model.script import Answer, Ending, Failure, Script, Silence, ToolUse
from legio.nuntius import distinct

MAX_WORDS = 400_000
MAX_HEARD = 50
MAX_HEARD_CHARACTERS = 20_000
QUOTED_CHARACTERS = 200
TITLE_WORDS = 6
TITLE_CHARACTERS = 100
STREAMED_SECONDS_PER_PIECE = 0.01

Asked = re.Match[str]


def say(text: str, conversation: Conversation) -> Answer:
    """An answer, with the notice in front when this thread has not seen it yet."""
    return Answer(text if conversation.introduced else f"{NOTICE}\n\n{text}")


def quote(text: str, conversation: Conversation) -> Answer:
    """What he says when no rule fits."""
    short = _short(text)
    lines = [f"This is {conversation.agent}. You said: “{short}”", *_given(conversation)]
    return say("\n".join(lines), conversation)


def look(_: Asked, conversation: Conversation) -> Script:
    """Say what came with the words."""
    return say("\n".join(_given(conversation)) or "I see nothing.", conversation)


def _given(conversation: Conversation) -> Iterator[str]:
    """What came with what was asked, a line each."""
    if conversation.quote is not None:
        yield f"You mean what {conversation.quote.sender} said: “{_short(conversation.quote.text)}”"
    for image in conversation.images:
        yield f"I see an image of {image.width}x{image.height}."
    for file in conversation.files:
        yield f"I was given {file.name}" + (f", which says: “{_short(file.text)}”" if file.text else ".")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUOTED_CHARACTERS else f"{line[:QUOTED_CHARACTERS]}…"


# --- tools --------------------------------------------------------------------------------------------


def _call(conversation: Conversation, *uses: tuple[str, Mapping[str, object]]) -> Answer:
    """Call tools by their plain names, all in one message; say so when one is not there."""
    for tool, _ in uses:
        if tool not in conversation.tools:
            return say(f"I have not got the tool `{tool}`.", conversation)
    return Answer(calls=tuple(ToolUse(conversation.tools[tool], arguments) for tool, arguments in uses))


def _once(
    tool: str, arguments: Mapping[str, object], conversation: Conversation, *, said: str = ""
) -> Answer:
    """Call `tool`, and report its result in the next round."""
    if not conversation.deeds:
        return _call(conversation, (tool, arguments))
    deed = conversation.deeds[-1]
    return say(_report(deed) if deed.failed else said + deed.text, conversation)


def _report(deed: Deed) -> str:
    return f"The tool `{deed.tool}` failed: {deed.text}" if deed.failed else deed.text


def _titled(text: str) -> Mapping[str, object]:
    return {"title": " ".join(text.split()[:TITLE_WORDS])[:TITLE_CHARACTERS], "text": text}


def remember(asked: Asked, conversation: Conversation) -> Script:
    """Publish what is to be remembered, for all to read."""
    return _once("publish_actum", _titled(asked["text"]), conversation, said="I published an actum. ")


def note(asked: Asked, conversation: Conversation) -> Script:
    """Write into his own journal."""
    return _once("write_commentarium", _titled(asked["text"]), conversation, said="I noted it. ")


def order(asked: Asked, conversation: Conversation) -> Script:
    """Publish a standing order."""
    return _once("publish_edictum", _titled(asked["text"]), conversation, said="I published an edictum. ")


def send(asked: Asked, conversation: Conversation) -> Script:
    """Send a file of his own workspace, as it is there."""
    return _once("send_file", {"path": asked["path"].strip()}, conversation)


def who(_: Asked, conversation: Conversation) -> Script:
    """Ask for the roster."""
    return _once("list_centuriones", {}, conversation, said="The centuriones:\n")


def enlist(asked: Asked, conversation: Conversation) -> Script:
    """Create a new centurio."""
    arguments = {"name": asked["name"].lower(), "specialization": asked["text"]}
    return _once("create_centurio", arguments, conversation)


def remind(asked: Asked, conversation: Conversation) -> Script:
    """Set up a reminder to the owner."""
    arguments = {"kind": "reminder", "text": asked["text"], "when": asked["when"]}
    return _once("schedule", arguments, conversation)


def schedule(asked: Asked, conversation: Conversation) -> Script:
    """Set up a task for later; who is spoken of with an escaped mention is addressed then."""
    arguments = {"kind": "task", "text": asked["text"].replace("\\@", "@"), "when": asked["when"]}
    return _once("schedule", arguments, conversation)


_NAME = re.compile(r"[A-Za-z][\w-]*")
SINGULAR = {"edicta": "edictum", "acta": "actum", "commentarii": "commentarium"}
_LISTED_NAME = re.compile(
    r'\b(?:name|id)="(?P<quoted>[a-z0-9-]+)"|^[-*•]\s+[`*]*(?P<bullet>[a-z0-9-]+)', re.MULTILINE
)


def recite(asked: Asked, conversation: Conversation) -> Script:
    """List the documents, then read the first one listed."""
    kind = asked["kind"].lower()
    if not conversation.deeds:
        return _call(conversation, (f"list_{kind}", {}))
    listing, reading = conversation.deeds[0], conversation.deeds[-1]
    if reading is not listing:
        return say(f"{_report(listing)}\n\nThe first one says:\n{_report(reading)}", conversation)
    name = None if listing.failed else _LISTED_NAME.search(listing.text)
    if name is None:
        return say(_report(listing), conversation)
    return _call(conversation, (f"read_{SINGULAR[kind]}", {"name": name["quoted"] or name["bullet"]}))


def dispatch(asked: Asked, conversation: Conversation) -> Script:
    """Ask each centurio named, at once; then say who answered what."""
    names = distinct(name.lower() for name in _NAME.findall(asked["names"]) if name.lower() != "and")
    if not conversation.deeds:
        tool = "dispatch_to_centurio"
        return _call(conversation, *((tool, {"name": name, "message": asked["text"]}) for name in names))
    answers = (f"{deed.arguments.get('name')} answered: {_report(deed)}" for deed in conversation.deeds)
    return say("\n\n".join(answers), conversation)


def use(asked: Asked, conversation: Conversation) -> Script:
    """Call any tool by its plain name."""
    try:
        arguments = json.loads(asked["arguments"] or "{}")
    except json.JSONDecodeError as error:
        return say(f"The arguments are not JSON: {error}", conversation)
    return _once(asked["tool"], arguments, conversation)


# --- words --------------------------------------------------------------------------------------------


def history(_: Asked, conversation: Conversation) -> Script:
    """List what this thread has heard, the newest kept."""
    if not conversation.before:
        return say("Nothing was said before this.", conversation)
    heard = "\n".join(f"- {heard.sender}: {heard.text}" for heard in conversation.before[-MAX_HEARD:])
    return say(f"What was said:\n{heard[-MAX_HEARD_CHARACTERS:]}", conversation)


def echo(asked: Asked, _: Conversation) -> Script:
    """Say it exactly, without any notice: tests compare it."""
    return Answer(asked["text"])


def markdown(_: Asked, conversation: Conversation) -> Script:
    """Show all formatting."""
    return say(MARKDOWN, conversation)


def long(asked: Asked, _: Conversation) -> Script:
    """Say so many words, at the pace of a model and without any notice."""
    return Answer(words(min(int(asked["count"]), MAX_WORDS)), pace=STREAMED_SECONDS_PER_PIECE)


def empty(_: Asked, __: Conversation) -> Script:
    """Answer with nothing in it."""
    return Answer()


# --- failures -----------------------------------------------------------------------------------------


def fail(asked: Asked) -> Failure:
    """An HTTP error, with or without a word on when to come again."""
    return Failure(int(asked["status"]), retry_after=int(asked["wait"]) if asked["wait"] else None)


def broken(asked: Asked) -> Answer:
    """A long enough answer that goes wrong in its middle."""
    return Answer(words(60), pace=STREAMED_SECONDS_PER_PIECE, ending=Ending(asked["how"].lower()))


def hang(_: Asked) -> Silence:
    """Nothing at all, for as long as the client waits."""
    return Silence()


def too_long(_: Asked, __: Conversation) -> Script:
    """What the real API says when a thread has outgrown the context; clients know it by these words."""
    return Failure(400, "prompt is too long: 214748 tokens > 200000 maximum")
