"""The ends of the core: what it needs of the world, as Protocols of at most five methods, with their values.

A gate implements a port; `app.py` joins them. Each port numbers its promises, and one contract test asks
them of the real thing and of the fake alike.
"""

from legio.ports.agents import Agent, Approve, Brief, Enlist, Process, Processes, Tool
from legio.ports.clock import Clock
from legio.ports.memoria import Document, Kind, Memoria, Shelf
from legio.ports.messenger import Button, Messenger, Parcel
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
from legio.ports.vitals import Backlog, Pulse, Reception, Vitals

__all__ = [
    "Agent",
    "Approve",
    "Backlog",
    "Brief",
    "Button",
    "Clock",
    "Dispatch",
    "Document",
    "Ending",
    "Enlist",
    "Inbox",
    "Kind",
    "Ledger",
    "Letter",
    "Memoria",
    "Messenger",
    "Nuntii",
    "Outbox",
    "Parcel",
    "Passage",
    "Process",
    "Processes",
    "Pulse",
    "Reception",
    "Shelf",
    "Thread",
    "Threads",
    "Tool",
    "Turns",
    "Undelivered",
    "Vitals",
]
