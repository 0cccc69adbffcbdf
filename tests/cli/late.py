"""A command for the tests of loading late."""

import argparse


def shout(arguments: argparse.Namespace) -> int:
    return len(arguments.word)
