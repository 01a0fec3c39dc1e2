"""How well annotators agree with each other, to compare with how well methods agree with them.

    python benchmarks/human_agreement.py --rocstories-salience val.json
    python benchmarks/human_agreement.py --hippocorpus events_dev.csv --labelled hippocorpus.jsonl

Prints Spearman's correlation between two random halves of the annotators: the mean over stories and 20
divisions. A half is smaller than the panel, so a perfect method could reach more. `--labelled` also writes
Hippocorpus for `barthes evaluate -c labelled=FILE`: the grade of a sentence is the share of annotators who
call it a major event.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

DIVISIONS = 20


def read_votes(path: Path) -> list[np.ndarray]:
    """Return for each story an array, sentences by annotators: whether the annotator chose it."""
    stories = json.loads(path.read_text(encoding="utf-8")).values()
    return [
        np.array(
            [[int(vote) == k + 1 for vote in story["most_important"]] for k in range(len(story["story"]))]
        )
        for story in stories
    ]


def read_hippocorpus(path: Path) -> dict[str, list[tuple[str, list[bool], float]]]:
    """Return for each story its sentences: the text, who calls it a major event, and the share of them."""
    stories: dict[str, list[tuple[int, str, list[bool], float]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            major = [label.startswith("major") for label in row["rawEventAnnot"].split(",")]
            entry = (int(row["sentIx"]), row["sent"], major, float(row["majorBin"]))
            stories[row["HippocorpusAssignmentId"]].append(entry)
    return {name: [entry[1:] for entry in sorted(entries)] for name, entries in stories.items()}


def measure_agreement(stories: list[np.ndarray]) -> float:
    """Return the mean correlation of two halves of the annotators; stories without variation are left out."""
    generator = np.random.default_rng(0)
    means = []
    for votes in stories:
        found = []
        for _ in range(DIVISIONS):
            order = generator.permutation(votes.shape[1])
            half = len(order) // 2
            first, second = votes[:, order[:half]].mean(axis=1), votes[:, order[half:]].mean(axis=1)
            if first.std() and second.std():
                found.append(spearmanr(first, second).statistic)
        if found:
            means.append(np.mean(found))
    return float(np.mean(means))


def main() -> None:
    parser = argparse.ArgumentParser(description="How well annotators agree with each other.")
    parser.add_argument("--rocstories-salience", type=Path)
    parser.add_argument("--hippocorpus", type=Path)
    parser.add_argument("--labelled", type=Path, help="Write Hippocorpus to this JSON Lines file.")
    options = parser.parse_args()
    if options.rocstories_salience:
        agreement = measure_agreement(read_votes(options.rocstories_salience))
        print(f"ROCStories salience: {agreement:.3f}")
    if options.hippocorpus:
        stories = read_hippocorpus(options.hippocorpus)
        fewest = [min(len(major) for _, major, _ in story) for story in stories.values()]
        votes = [
            np.array([major[:n] for _, major, _ in story])
            for n, story in zip(fewest, stories.values(), strict=True)
        ]
        print(f"Hippocorpus: {measure_agreement(votes):.3f}")
        if options.labelled:
            rows = [
                {
                    "story": name,
                    "sentences": [text for text, *_ in story],
                    "labels": [share for *_, share in story],
                }
                for name, story in stories.items()
            ]
            options.labelled.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
