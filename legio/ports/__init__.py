"""The ends of the core: what it needs of the world, as Protocols of at most five methods, with their values.

A gate implements a port; `app.py` joins them. Each port numbers its promises, and one contract test asks
them of the real thing and of the fake alike.
"""

from legio.ports.agents import Agent, Approve, Brief, Enlist, Process, Processes, Request, Server, Tool, takes
from legio.ports.chronicle import EVERYTHING, Chronicle, Conversation, Selection
from legio.ports.clock import Clock
from legio.ports.corrections import Cause, Change, Corrections, Source
from legio.ports.costs import Costs, Expense, Leave, Purse
from legio.ports.counting import TokenCounter, Tokens
from legio.ports.enclosures import Enclose, Enclosed, Picture
from legio.ports.feed import Entry, EntryKind, Feed
from legio.ports.figures import Figure, Figures
from legio.ports.history import Fate, History, Past, Version
from legio.ports.memoria import Document, Kind, Memoria, Order, Proof, Sanction, Shelf
from legio.ports.messenger import PRESS, Block, Button, Messenger, Parcel, Press, Ring
from legio.ports.record import (
    Dispatch,
    Ending,
    Inbox,
    Ledger,
    Letter,
    Nuntii,
    Outbox,
    Passage,
    Thread,
    Threads,
    Turns,
    Undelivered,
    Unsent,
)
from legio.ports.rollcalls import Called, RollCalls, Standing
from legio.ports.schedules import Firing, Rule, Schedule, Schedules, Work
from legio.ports.search import Found, Hits, Search, Sought
from legio.ports.settings import Settings
from legio.ports.talk import Exchange, Talk
from legio.ports.vitals import Backlog, Pulse, Reception, Vitals

__all__ = [
    "EVERYTHING",
    "PRESS",
    "Agent",
    "Approve",
    "Backlog",
    "Block",
    "Brief",
    "Button",
    "Called",
    "Cause",
    "Change",
    "Chronicle",
    "Clock",
    "Conversation",
    "Corrections",
    "Costs",
    "Dispatch",
    "Document",
    "Enclose",
    "Enclosed",
    "Ending",
    "Enlist",
    "Entry",
    "EntryKind",
    "Exchange",
    "Expense",
    "Fate",
    "Feed",
    "Figure",
    "Figures",
    "Firing",
    "Found",
    "History",
    "Hits",
    "Inbox",
    "Kind",
    "Leave",
    "Ledger",
    "Letter",
    "Memoria",
    "Messenger",
    "Nuntii",
    "Order",
    "Outbox",
    "Parcel",
    "Passage",
    "Past",
    "Picture",
    "Press",
    "Process",
    "Processes",
    "Proof",
    "Pulse",
    "Purse",
    "Reception",
    "Request",
    "Ring",
    "RollCalls",
    "Rule",
    "Sanction",
    "Schedule",
    "Schedules",
    "Search",
    "Selection",
    "Server",
    "Settings",
    "Shelf",
    "Sought",
    "Source",
    "Standing",
    "Talk",
    "Thread",
    "Threads",
    "TokenCounter",
    "Tokens",
    "Tool",
    "Turns",
    "Undelivered",
    "Unsent",
    "Version",
    "Vitals",
    "Work",
    "takes",
]
