"""The `barthes` command, also as `python -m barthes`."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command. Exit codes: 0 success, 2 bad input, 130 interrupted."""
    try:
        from barthes.cli.main import main as run

        run()
    except KeyboardInterrupt:  # before the command: while importing or parsing
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed again, Ctrl-C would show a traceback
        sys.exit(130)


if __name__ == "__main__":
    main()
