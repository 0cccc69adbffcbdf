"""One agent, one task, one queue: ask, interrupt, sleep, wake; and together, never more than the ceiling.

camp      what sessions need of the world
session   the queue and the turn: what is asked, in which order, and what becomes of it
striking  what is stopped before its agent was told anything
thread    the agent behind it: resumed where it can be, begun anew where it cannot
telling   what a thread is told, and what its row says of that
hearing   one ask heard to its end, within bounds of silence and length
allowance whether a turn may cost something now
ceiling   how many may live at once, and who has to sleep for another
"""

from legio.sessions.camp import Camp, Limits, Outcome
from legio.sessions.hearing import Bounds, Use
from legio.sessions.session import Session
from legio.sessions.sessions import Sessions

__all__ = ["Bounds", "Camp", "Limits", "Outcome", "Session", "Sessions", "Use"]
