"""Legio: a legion of Claude agents behind one Telegram bot."""

from importlib.metadata import version

__version__ = version("legio")
