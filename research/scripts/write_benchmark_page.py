"""Write the tables of docs/benchmark.md from the kept JSON of `barthes bench`.

    python scripts/write_benchmark_page.py                        rewrite the tables
    python scripts/write_benchmark_page.py dev.json tales.json    keep new results first, several files as one

The kept JSON leaves out the figures of single stories and has one summary for each unit (sentences, events)
over the corpora of all files. The text above the tables is written by hand.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from barthes.evaluation.measures import MEASURES
from barthes.files import write_atomically
from barthes.report.evaluation_tables import format_figure, format_p
from barthes_research.bench.summary import summarize

FOLDER = Path(__file__).resolve().parents[1]
PAGE = FOLDER / "docs" / "benchmark.md"
KEPT = FOLDER / "results" / "bench.json"
MARK = "<!-- Written by scripts/write_benchmark_page.py: -->\n"


def keep(results: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return several outputs of `barthes bench` as one, without the figures of single stories.

    Sentences and events are summarized apart.
    """
    first, *others = results
    corpora = [corpus for each in (first, *others) for corpus in each["corpora"]]
    for row in (row for corpus in corpora for row in corpus["rows"]):
        row.pop("per_story", None)
    units = dict.fromkeys(corpus["unit"] for corpus in corpora)
    tables = {unit: [corpus for corpus in corpora if corpus["unit"] == unit] for unit in units}
    summaries = {unit: summarize(found).to_dict() for unit, found in tables.items()}
    kept = {key: value for key, value in first.items() if key not in ("corpora", "summary")}
    return {**kept, "corpora": corpora, "summaries": summaries}


def render() -> str:
    """Return the page with tables of the kept figures."""
    prose = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    sections = [
        *(render_summary(unit, summary) for unit, summary in kept.get("summaries", {}).items()),
        *(render_corpus(corpus) for corpus in kept["corpora"]),
    ]
    return prose + MARK + "".join("\n" + "\n".join(section) for section in sections)


def render_summary(unit: str, summary: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the section that puts all corpora on one scale; nothing for a single one."""
    columns = summary["columns"]
    if len(columns) < 2:
        return
    yield f"## Summary, {unit}s\n"
    yield "(score − chance) / (limit − chance) by the first measure of each corpus:\n"
    yield from render_table(
        ["method", *(column["corpus"] for column in columns), "mean"],
        [
            [f"`{row['method']}`", *map(format_figure, row["values"]), format_mean(row, len(columns))]
            for row in summary["rows"]
        ],
    )
    yield from render_table(
        ["corpus", "measure", "chance", "limit"],
        [
            [
                f"{column['corpus']}, {column['labels']}",
                MEASURES[column["measure"]].heading,
                format_figure(column["chance"]),
                format_figure(column["ceiling"]),
            ]
            for column in columns
        ],
    )


def render_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table and a blank one."""
    yield f"| {' | '.join(header)} |"
    yield "|---" * len(header) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def render_corpus(corpus: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a section: one row per method."""
    counts, best = corpus["counts"], corpus["best_cheap"]
    names = [MEASURES[name].heading for name in corpus["measures"]]
    header = ["method", names[0], "95 % interval", *names[1:], "gain", "p random", "p tfidf", "p best cheap"]
    units = f"{corpus.get('unit', 'sentence')}s"
    yield f"## {corpus['corpus']}, {corpus['labels']}\n"
    yield f"{counts['salient']} of {counts[units]} {units} in {counts['stories']} stories are salient.\n"
    if people := corpus.get("people"):
        interval = " to ".join(map(format_figure, people["interval"]))
        agreed = f"Spearman {format_figure(people['value'])} ({interval})"
        yield f"People, one half of the annotators against the other: {agreed}.\n"
    rows = []
    for row in corpus["rows"]:
        figures = [format_figure(row[name]) for name in corpus["measures"]]
        figures[0] += " *" * (row["method"] == best)
        tests = [format_test(row["p_vs"][other]) for other in ("random", "tfidf", best)]
        low, high = row["interval"][corpus["measures"][0]]
        interval = f"{format_figure(low)} to {format_figure(high)}"
        cells = [f"`{row['method']}`", figures[0], interval, *figures[1:], format_gain(row["gain"]), *tests]
        rows.append(cells)
    yield from render_table(header, rows)


def format_mean(row: dict[str, Any], corpora: int) -> str:
    """Return the mean of a row of the summary, with the number of corpora if they are not all."""
    some = f" ({row['corpora']} of {corpora})" if row["corpora"] < corpora else ""
    return format_figure(row["mean"]) + some


def format_test(tests: dict[str, float | None] | None) -> str:
    """Return the p-value of Wilcoxon's test."""
    return format_p(tests and tests["wilcoxon"]).replace("<", "&lt;")


def format_gain(gain: dict[str, Any] | None) -> str:
    """Return a difference with its interval."""
    if gain is None:
        return "–"
    low, high = gain["interval"]
    return f"{gain['value']:+.3f} ({low:+.3f} to {high:+.3f})"


def main() -> None:
    """Keep the given results, if any, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, nargs="*", help="JSON of `barthes bench`")
    chosen = parser.parse_args()
    if chosen.results:
        kept = keep(json.loads(path.read_text(encoding="utf-8")) for path in chosen.results)
        write_atomically(KEPT, json.dumps(kept, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    write_atomically(PAGE, render())


if __name__ == "__main__":
    main()
