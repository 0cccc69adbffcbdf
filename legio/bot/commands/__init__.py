"""Caesar's slash commands: one table, one function each, plain text out.

A command looks and acts through the same roster, memoria and sessions as the agents do. What cannot be
taken back asks by button first. Each module holds the commands on one matter.
"""

from legio.bot.commands.command import Command
from legio.bot.commands.table import Commands

__all__ = ["Command", "Commands"]
