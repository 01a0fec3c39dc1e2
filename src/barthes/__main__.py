"""The `barthes` command, also as `python -m barthes`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; 0 is success, 2 a problem with the input, 130 an interruption."""
    try:
        from barthes.cli.main import main as run
    except KeyboardInterrupt:  # before the command was even there to be interrupted
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
