"""The ends of the core: what it needs of the world, as Protocols of at most five methods, with their values.

A gate implements a port; `app.py` joins them. Each port numbers its promises, and one contract test asks
them of the real thing and of the fake alike.
"""

from legio.ports.agents import Agent, Approve, Brief, Enlist, Process, Processes, Request, Server, Tool, takes
from legio.ports.clock import Clock
from legio.ports.corrections import Cause, Change, Corrections, Source
from legio.ports.costs import Costs, Expense, Leave, Purse
from legio.ports.enclosures import Enclose, Enclosed, Picture
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
)
from legio.ports.rollcalls import Called, RollCalls, Standing
from legio.ports.schedules import Firing, Rule, Schedule, Schedules, Work
from legio.ports.search import Found, Hits, Search, Sought
from legio.ports.settings import Settings
from legio.ports.vitals import Backlog, Pulse, Reception, Vitals

__all__ = [
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
    "Clock",
    "Corrections",
    "Costs",
    "Dispatch",
    "Document",
    "Enclose",
    "Enclosed",
    "Ending",
    "Enlist",
    "Expense",
    "Firing",
    "Found",
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
    "Server",
    "Settings",
    "Shelf",
    "Sought",
    "Source",
    "Standing",
    "Thread",
    "Threads",
    "Tool",
    "Turns",
    "Undelivered",
    "Vitals",
    "Work",
    "takes",
]
