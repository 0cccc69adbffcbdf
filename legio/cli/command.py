"""What a command of the line is, and what all of them share: exit codes and the configuration."""

import argparse
import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass

from legio.config import Config, Secrets, read

EXPECTED, BUG, INTERRUPTED = 1, 3, 130

Run = Callable[[argparse.Namespace], int]


@dataclass(frozen=True, slots=True)
class Command:
    """One command. It is given `--config` if it is `configured`; `more` adds what else it takes."""

    name: str
    run: Run
    meaning: str
    configured: bool = True
    more: Callable[[argparse.ArgumentParser], None] = lambda _: None


def later(module: str, name: str) -> Run:
    """A command whose module is loaded when it runs: a health check need not load a whole Legio."""

    def run(arguments: argparse.Namespace) -> int:
        command: Run = getattr(importlib.import_module(module), name)
        return command(arguments)

    return run


def configured(arguments: argparse.Namespace) -> tuple[Config, Secrets]:
    """The configuration; from here on the error boundary knows what it must never show."""
    config, secrets = read(arguments.config, os.environ)
    arguments.secrets = secrets.values()
    return config, secrets
