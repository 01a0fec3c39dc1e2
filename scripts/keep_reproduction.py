"""Store the results of a reproduction with the documentation, without the corpus's labels.

    python scripts/keep_reproduction.py run/reproduction.json docs/research/results/reproduction-paper.json

Our scores may be published; the annotators' labels may not.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from barthes.files import write_atomically
from barthes.scorer import REVISION


def strip(reproduction: dict[str, Any]) -> dict[str, Any]:
    """Return the reproduction without labels, and with the revision of the scoring code.

    Scores are not rounded, which would create ties and change the results.

    >>> strip({"mode": "paper", "scores": {"story1": {"labels": [True], "sd": [0.12345678]}}})["scores"]
    {'story1': {'sd': [0.12345678]}}
    """
    scores = {
        tale: {method: values for method, values in found.items() if method != "labels"}
        for tale, found in reproduction["scores"].items()
    }
    return {**reproduction, "scores": scores, "revision": REVISION}


def main() -> None:
    """Convert a file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reproduction", type=Path, help="JSON of `barthes reproduce`")
    parser.add_argument("kept", type=Path, help="output file")
    chosen = parser.parse_args()
    kept = strip(json.loads(chosen.reproduction.read_text(encoding="utf-8")))
    write_atomically(chosen.kept, json.dumps(kept, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
