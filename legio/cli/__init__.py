"""The command line: arguments in, exit code out, and the one error boundary.

Exit codes: 0 well, 1 an expected failure with its remedy, 130 interrupted, 3 a bug with a report to paste.
"""

import argparse
import platform
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from legio import __version__, health, logs
from legio.cli.command import BUG, EXPECTED, INTERRUPTED, Command, Run, configured, later
from legio.errors import LegioError, Refused

SERVING, UPKEEP, TOTP = "legio.cli.serving", "legio.cli.upkeep", "legio.cli.totp"
LOGIN = "legio.cli.login"
CONFIG = Path("legio.toml")
FORMATS = ("jsonl", "markdown")


def main(argv: Sequence[str] | None = None, *, commands: Sequence[Command] | None = None) -> int:
    """Run one of `commands`, all of Legio's unless given, and return its exit code."""
    arguments = argparse.Namespace(secrets=())
    try:
        _parser(COMMANDS if commands is None else commands).parse_args(argv, arguments)
        run: Run = arguments.run
        return run(arguments)
    except LegioError as error:
        _complain(f"legio: {error}", arguments)
        return EXPECTED
    except KeyboardInterrupt:
        _complain("legio: interrupted.", arguments)
        return INTERRUPTED
    except Exception:  # noqa: BLE001  (the one error boundary: what arrives here is a bug and says so)
        _complain(f"{traceback.format_exc()}\n{_report()}", arguments)
        return BUG


class _Parser(argparse.ArgumentParser):
    """Its complaints are expected failures like all others."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of leaving the process with a code of argparse's own."""
        raise Refused(f"{message}.", remedy=f"`{self.prog} --help` shows how it is written.")


def _parser(commands: Sequence[Command]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="legio",
        description="A Telegram bot behind which a legion of Claude agents works for one owner.",
        epilog="Without a command: `run` if the bot's token is set, else `local`.",
    )
    parser.add_argument("--version", action="version", version=f"legio {__version__}")
    parser.set_defaults(run=later(SERVING, "start"), config=CONFIG)
    added = parser.add_subparsers(metavar="command")
    for command in commands:
        one = added.add_parser(command.name, help=command.meaning, description=command.meaning)
        one.set_defaults(run=command.run)
        command.more(one)
        if command.configured:
            one.add_argument(
                "--config", type=Path, default=CONFIG, metavar="PATH", help="default: ./legio.toml"
            )
    return parser


def _health(arguments: argparse.Namespace) -> int:
    config, _ = configured(arguments)
    print(health.health(config.castra, port=config.console.port))
    return 0


def _backup_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target", type=Path, nargs="?", help="a folder, or a file *.tar.gz; default: [backup] folder"
    )
    parser.add_argument("--workspaces", action="store_true", help="with the agents' working folders")


def _restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archive", type=Path, help="a file that `legio backup` has written")


def _init_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, nargs="?", default=Path(), help="default: this folder")


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="default: jsonl")
    parser.add_argument("--output", type=Path, metavar="PATH", help="a new file; default: standard output")
    parser.add_argument("--local", action="store_true", help="what was said in `legio local`")


def _login_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--local", action="store_true", help="of a `legio local`")


def _complain(text: str, arguments: argparse.Namespace) -> None:
    print(logs.redacted(text, arguments.secrets), file=sys.stderr)


def _report() -> str:
    return (
        f"This is a bug in Legio {__version__} (Python {platform.python_version()}, {platform.system()})."
        " Please report it with the lines above; secrets were removed from them."
    )


COMMANDS = (
    Command("run", later(SERVING, "run"), "serve Caesar on Telegram"),
    Command("local", later(SERVING, "local"), "serve a chat page on this machine, with no account at all"),
    Command("doctor", later(UPKEEP, "doctor"), "check everything that Legio needs, and say what to do"),
    Command("health", _health, "whether the Legio of this castra is alive; for containers"),
    Command(
        "backup", later(UPKEEP, "backup"), "write a backup, also while Legio works", more=_backup_arguments
    ),
    Command(
        "restore", later(UPKEEP, "restore"), "put a backup in the castra's place", more=_restore_arguments
    ),
    Command(
        "export", later(UPKEEP, "export"), "write out all that was said, oldest first", more=_export_arguments
    ),
    Command(
        "init",
        later(UPKEEP, "init"),
        "write legio.toml and a castra; overwrites nothing",
        configured=False,
        more=_init_arguments,
    ),
    Command(
        "totp", later(TOTP, "totp"), "make a secret for an authenticator, and show it once", configured=False
    ),
    Command(
        "login",
        later(LOGIN, "login"),
        "a link that opens the console of the Legio that runs, once",
        more=_login_arguments,
    ),
)

__all__ = ["BUG", "COMMANDS", "EXPECTED", "FORMATS", "INTERRUPTED", "Command", "main"]
