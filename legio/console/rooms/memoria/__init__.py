"""The room in which Caesar tends what his agents remember and are told.

documents   the three shelves: read, write, amend, revoke, look back and undo
prompts     each agent's prompt, checked and counted while it is written
difference  two texts laid beside each other
room        the addresses of all of it
"""

from legio.console.rooms.memoria.room import memoria_room

__all__ = ["memoria_room"]
