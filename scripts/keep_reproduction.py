"""Keep the figures of a reproduction beside the documentation, without the corpus's labels.

    python scripts/keep_reproduction.py run/reproduction.json docs/research/results/reproduction-paper.json

Scores are ours; which sentences the annotators marked is not ours to give away.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from barthes.files import write_atomically
from barthes.scoring import REVISION


def strip(reproduction: dict[str, Any]) -> dict[str, Any]:
    """The reproduction without labels, and with the revision of what computed it.

    No score is rounded: that would make ties, and other figures.

    >>> strip({"mode": "paper", "scores": {"story1": {"labels": [True], "sd": [0.12345678]}}})
    {'mode': 'paper', 'scores': {'story1': {'sd': [0.12345678]}}, 'revision': 1}
    """
    scores = {
        tale: {method: values for method, values in found.items() if method != "labels"}
        for tale, found in reproduction["scores"].items()
    }
    return {**reproduction, "scores": scores, "revision": REVISION}


def main() -> None:
    """Read one file, write the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reproduction", type=Path, help="what `barthes reproduce` wrote")
    parser.add_argument("kept", type=Path, help="where to keep it")
    chosen = parser.parse_args()
    kept = strip(json.loads(chosen.reproduction.read_text(encoding="utf-8")))
    write_atomically(chosen.kept, json.dumps(kept, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
