"""Started by its path, this becomes the `claude` CLI: in a group of its own, and bound to Legio's life.

The group lets whatever the CLI has started be ended with it, and keeps a terminal's Ctrl-C for Legio alone.
On Linux the kernel kills the process when Legio is gone, however it went; elsewhere the next start does.
It imports nothing of Legio: it runs before every CLI, and every millisecond of it is waited for.
"""

import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def bind_to(parent: int) -> None:
    """Ask Linux to kill this process when its parent ends; other systems know no such wish."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the wish was heard
        os.kill(os.getpid(), signal.SIGKILL)


def main(parent: int, command: list[str]) -> None:
    """Become `command`, a child of `parent`; returns only by raising `OSError`."""
    os.setpgid(0, 0)
    bind_to(parent)
    os.execv(command[0], command)  # noqa: S606  (the command is our own)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
