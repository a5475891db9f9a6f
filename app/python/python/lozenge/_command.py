"""The entry point of the command ``lozenge``, which is the same function as that of the binary."""

import signal
import sys

from lozenge import _lozenge


def main() -> int:
    """Runs the command with the words of the command line and returns its exit status."""
    # As in a program that is not Python: Ctrl-C ends it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _lozenge.command(["lozenge", *sys.argv[1:]])
