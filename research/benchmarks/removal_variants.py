#!/usr/bin/env python3
"""Compare variants of the paper's methods with one of them, story by story, by each corpus's own measure.

    python benchmarks/removal_variants.py sd va -c rocstories-salience=val.json
    python benchmarks/removal_variants.py sd va -c hippocorpus=events_dev.csv --every 3
    python benchmarks/removal_variants.py sd va paa -c telegraphic=FOLDER --unit event --shortest 20

Prints the figure of each method with its interval, its gain over the first method and the p of Wilcoxon's
test (in brackets: of the permutation test); --out keeps all of it as JSON, without texts. Unlike `barthes
bench` it takes a part of a corpus: --every N the stories of every N-th group (by name, from the first),
--shortest N those with the fewest words.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from pathlib import Path
from typing import Any

from barthes.cache import ScoreCache
from barthes.evaluation.corpus import LabelledNarrative, StoryCollection
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.opening import open_corpus
from barthes.evaluation.result import Evaluation
from barthes.evaluation.units import choose_unit
from barthes.files import make_folder
from barthes.models.embedded import DEFAULT_MODEL
from barthes.report.evaluation_tables import format_tests
from barthes_research.bench.measures import choose_measures, gain


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("methods", nargs="+", help="the first is the one that others are compared with")
    parser.add_argument("-c", "--corpus", required=True, metavar="KIND=PATH")
    parser.add_argument("--unit", default="sentence")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--shortest", type=int)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--results", type=Path, default=Path("removal-variants"), help="folder for scores")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def take_part(corpus: StoryCollection, *, every: int, shortest: int | None) -> StoryCollection:
    """Return the corpus with only some of its stories."""

    def count_words(story: LabelledNarrative) -> tuple[int, str]:
        return len(story.narrative.text.split()), story.name

    groups = sorted({story.group or story.name for story in corpus})[::every]
    stories = [story for story in corpus if (story.group or story.name) in groups]
    chosen = sorted(stories, key=count_words)[:shortest]
    part = copy.copy(corpus)
    part.stories = tuple(story for story in stories if story in chosen)
    return part


def describe(found: Evaluation, measure: str) -> dict[str, Any]:
    """Return the figures, gains and tests as plain values, with the figure of every story."""
    first = found.rows[0]
    rows = [
        {
            "method": row.method,
            "model": row.model,
            "precision": row.precision,
            "figure": row.figures[measure].to_dict(),
            "gain": {"value": difference.value, "interval": difference.interval},
            "p": row.p_vs[first.method],
        }
        for row in found.rows
        for difference in [gain(row.figures[measure].per_story, first.figures[measure].per_story)]
    ]
    about = {"corpus": found.corpus, "labels": found.labels, "unit": found.unit, "measure": measure}
    return {**about, "counts": found.counts, "random": found.random, "rows": rows}


def format_row(row: dict[str, Any]) -> str:
    """Return a row of a Markdown table: figure, gain over the first method, p of both tests."""
    shown = [
        "{:.3f} ({:.3f} to {:.3f})".format(each["value"], *each["interval"]).replace("-", "−")
        for each in (row["figure"], row["gain"])
    ]
    cells = [f"`{row['method']}`", *shown, format_tests(row["p"])]
    return f"| {' | '.join(cells if row['p'] else [*cells[:2], '', ''])} |"


def main() -> None:
    """Evaluate the methods, print their figures and keep them."""
    chosen = read_arguments()
    corpus = open_corpus(chosen.corpus)
    if not isinstance(corpus, StoryCollection):
        sys.exit(f"{chosen.corpus}: choose a corpus of stories")
    part = choose_unit(take_part(corpus, every=chosen.every, shortest=chosen.shortest), chosen.unit)
    measures = choose_measures(part)
    make_folder(chosen.results)
    with ScoreCache(chosen.results / "scores.sqlite3", limit=sys.maxsize) as cache:
        found = evaluate(
            chosen.methods,
            part,
            unit=chosen.unit,
            against=chosen.methods[:1],
            model=chosen.model,
            cache=cache,
            measures=measures,
        )
    kept = describe(found, measures[0])
    print(f"{kept['corpus']}, {kept['counts']}; {kept['measure']}, random {kept['random']:.3f}")
    print("\n".join(map(format_row, kept["rows"])))
    if chosen.out is not None:
        chosen.out.write_text(f"{json.dumps(kept, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
