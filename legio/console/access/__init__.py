"""Who may see the console, and who may act in it: Caesar's browser alone.

doors      the names under which the page is called
links      the one-time link
initdata   Telegram's word on who opened the Mini App
pauses     how often one may try, how fast one may write
entering   the three ways in
visits     who is signed in
streams    what ends with a visit
refusing   how the console says no
login      the addresses of signing in and out
wall       what stands in front of all the others
"""

from legio.console.access.access import Access, Identity
from legio.console.access.links import Links

__all__ = ["Access", "Identity", "Links"]
