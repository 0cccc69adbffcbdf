"""Telegram's side: how Caesar is reached. Nothing here is on its way before the line is open."""

from dataclasses import dataclass

from legio.app.deployment import Deployment
from legio.app.guarding import Tasks
from legio.bot.cards import Cards
from legio.bot.connection import Line, TelegramApplication, application
from legio.bot.intake import CommittingQueue
from legio.bot.messenger import TelegramMessenger
from legio.bot.outbox import Courier
from legio.bot.outcry import Outcry
from legio.bot.pace import Budgets
from legio.bot.reactions import Reactions
from legio.bot.rollcall import Chat, RollCall
from legio.bot.topics import Topics
from legio.decisions import Decisions
from legio.praetorium import Praetorium


@dataclass(frozen=True, slots=True)
class Front:
    """What speaks to Caesar's chat, and the queue in which his updates stand."""

    line: Line
    application: TelegramApplication
    queue: CommittingQueue
    chat: Chat
    topics: Topics
    roll_call: RollCall
    courier: Courier
    reactions: Reactions
    messenger: TelegramMessenger
    decisions: Decisions
    cards: Cards
    outcry: Outcry

    @property
    def tasks(self) -> Tasks:
        """What runs as long as Legio does."""
        return (
            ("courier", self.courier.run),
            ("roll-call", self.roll_call.run),
            ("reactions", self.reactions.run),
            ("cards", self.cards.run),
            ("decisions", self.decisions.expire),
            ("outcry", self.outcry.run),
        )


def front(deployment: Deployment, praetorium: Praetorium) -> Front:
    """All of it, built; nothing of it has begun."""
    config, clock, caesar = deployment.config.telegram, deployment.clock, deployment.caesar_id
    line = Line(config, deployment.token, clock)
    queue = CommittingQueue(praetorium.inbox, clock, caesar_id=caesar)
    app = application(line, queue)
    budgets = Budgets(clock)
    topics = Topics(app.bot, caesar, praetorium.settings, clock)
    chat = Chat(app.bot, caesar, clock, budgets.of(caesar), topics.shared)
    roll_call = RollCall(chat, praetorium.roll_calls, streaming=config.streaming)
    courier = Courier(app.bot, praetorium.outbox, clock, budgets, files=deployment.castra.root)
    reactions = Reactions(chat, clock)
    decisions = Decisions(clock)
    cards = Cards(decisions, app.bot)
    courier.strays(topics.lost)
    courier.listen(cards.placed)
    return Front(
        line=line,
        application=app,
        queue=queue,
        chat=chat,
        topics=topics,
        roll_call=roll_call,
        courier=courier,
        reactions=reactions,
        messenger=TelegramMessenger(caesar, roll_call, courier.wake, reactions, topics),
        decisions=decisions,
        cards=cards,
        outcry=Outcry(app.bot, caesar, clock, lambda: praetorium.patience.trouble),
    )
