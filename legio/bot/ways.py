"""Where a message came from and where one has got stuck: the deeds of /why and /undelivered."""

from typing import assert_never

from legio.bot.desk import Call, Misused, Reply
from legio.bot.payload import DocumentMessage, FileMessage, TextMessage, decode
from legio.brevity import on_one_line
from legio.decisions import Choice, Decisions
from legio.endings import way
from legio.errors import LegioError
from legio.ports import Ledger, Messenger, Undelivered

MOST_SHOWN = 20
PREVIEW_CHARACTERS = 60


async def why(ledger: Ledger, call: Call) -> Reply:
    """The way of the answer that was replied to, from Caesar's update to the messages that carried it."""
    if call.reply_to is None:
        raise Misused("write it in reply to an agent's answer.")
    passage = await ledger.passage(call.reply_to)
    if passage is None:
        return Reply("That message carried no answer of an agent's, so there is no way to show.")
    return Reply("\n".join(f"{name}: {value}" for name, value in way(passage)))


async def undelivered(ledger: Ledger, decisions: Decisions, messenger: Messenger) -> Reply:
    """What was given up, oldest first, with a button that sends it again."""
    given_up = await ledger.undelivered()
    if not given_up:
        return Reply("Everything was delivered, or is on its way.")

    async def again() -> str:
        count = await ledger.retry()
        messenger.wake()
        return f"Sent again: {_counted(count, 'message')}."

    rows = [_row(each) for each in given_up[:MOST_SHOWN]]
    if len(given_up) > MOST_SHOWN:
        rows.append("… and more.")
    return Reply("\n\n".join(rows), decisions.offer([Choice("Send again", again)]))


def _row(each: Undelivered) -> str:
    return f"{each.created:%m-%d %H:%M} UTC: {preview(each.parcel.payload)}\n⛔ {each.error}"


def preview(payload: str) -> str:
    """What a parcel carries, in a line."""
    try:
        message = decode(payload)
    except LegioError:
        return "(cannot be read)"
    match message:
        case TextMessage(text=text):
            return on_one_line(text, PREVIEW_CHARACTERS)
        case DocumentMessage(file_name=name) | FileMessage(file_name=name):
            return on_one_line(name, PREVIEW_CHARACTERS)
        case _:
            assert_never(message)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
