"""Small valid files to be damaged: stories in every format, corpora of every kind."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from barthes.evaluation.labelled_file import LabelledFile
from barthes_research.corpora import (
    Hippocorpus,
    ProppLearner,
    RocStories,
    RocStoriesSalience,
    Tripod,
)
from tests.reading.conversion import DATA, MAKERS, PARAGRAPHS, Made, make_zip
from tests.reading.scrivener_projects import make_tale

__all__ = ["CORPORA", "CRANE", "FILM", "STORIES", "make_lines", "make_table"]

CRANE = (Path(__file__).parents[2] / "research" / "tests" / "corpora" / "data" / "crane1.sty").read_bytes()
SENTENCES = ["It rained.", "The wolf came.", "“Stop!” she said.", "He ran.", "They lived on."]


def make_table(rows, delimiter=","):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    return buffer.getvalue().encode()


def make_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


SEGMENTED = " ".join(f"[STR_SENT] {each} [END_SENT]" for each in SENTENCES)
LABELS = [[name, each, i % 2] for name in ("a", "b") for i, each in enumerate(SENTENCES)]
ROWS = {"story": "a", "sentences": SENTENCES, "labels": [0, 1, 0.5, True, 0]}
VOTES = {"storytitle": "Wolf", "story": SENTENCES, "most_important": ["2", "2", 1]}
COLUMNS = ["story", "sentence", "label"]
FILM = ["movie_name", "synopsis_segmented", "tp1", "tp2", "tp3", "tp4", "tp5"]
EVENTS = ["HITId", "HippocorpusAssignmentId", "sentIx", "sent", "rawEventAnnot"]
MAJOR = "major-surprising,minor-expected,noEvent"
FIVE = ["storyid", "storytitle", *(f"sentence{i}" for i in range(1, 6))]
CORPORA = {
    "propplearner file": (ProppLearner, "crane1.sty", CRANE),
    "propplearner archive": (
        ProppLearner,
        "corpus.zip",
        make_zip({"corpus/crane1.sty": CRANE, "corpus/crane2.sty": CRANE}),
    ),
    "labelled TSV": (LabelledFile, "a.tsv", make_table([COLUMNS, *LABELS], "\t")),
    "labelled CSV": (LabelledFile, "a.csv", make_table([COLUMNS, *LABELS])),
    "labelled rows": (
        LabelledFile,
        "a.jsonl",
        make_lines([dict(zip(COLUMNS, row, strict=True)) for row in LABELS]),
    ),
    "labelled stories": (LabelledFile, "a.jsonl", make_lines([ROWS, ROWS | {"story": "b"}])),
    "tripod": (
        Tripod,
        "a.csv",
        make_table([FILM, *[[f"Film_{i}", SEGMENTED, 0, 1, 2, 3, 4] for i in range(3)]]),
    ),
    "hippocorpus": (
        Hippocorpus,
        "a.csv",
        make_table([EVENTS, *[["h", name, i, s, MAJOR] for name in "ab" for i, s in enumerate(SENTENCES)]]),
    ),
    "rocstories": (RocStories, "a.jsonl", make_lines([{"story": " ".join(SENTENCES)}] * 3)),
    "rocstories table": (RocStories, "a.csv", make_table([FIVE, ["1", "Wolf", *SENTENCES]])),
    "rocstories salience": (RocStoriesSalience, "a.json", json.dumps({"1": VOTES, "2": VOTES}).encode()),
}
"""A reader, the name of a file and its content, by what it is."""

STORIES = {name: make() for name, make in MAKERS.items()} | {
    "plain text": Made("tale.txt", "\n\n".join(PARAGRAPHS).encode()),
    "annotated": Made("tale.sty", CRANE),
    "screenplay": Made("mill.fountain", (DATA / "mill.fountain").read_bytes()),
    "final draft screenplay": Made("mill.fdx", (DATA / "mill.fdx").read_bytes()),
    "scrivener": make_tale(),
}
"""Our own tale in every format."""
