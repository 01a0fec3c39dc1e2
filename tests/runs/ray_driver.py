"""A run on a Ray cluster in a process of its own: python -m tests.runs.ray_driver TABLE RUN [ADDRESS]"""

from __future__ import annotations

import sys

from barthes.errors import BarthesError
from barthes.runs.ray_run import run_on_ray
from tests.runs.counting import PARTS, load_slow_reader


def main():
    table, out, *address = sys.argv[1:]
    try:
        run_on_ray([table], out, PARTS, address=next(iter(address), None), load=load_slow_reader, cache=False)
    except BarthesError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
