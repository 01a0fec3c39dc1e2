"""Phrases that were hard to understand and were replaced do not return to the docs or the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "docs", "examples", "scripts", "benchmarks")
ENDINGS = {".py", ".md", ".html", ".js", ".css", ".xml", ".toml", ".ipynb"}
FILES = [
    *(
        ROOT / name
        for name in (
            "README.md",
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
            "CITATION.cff",
            "pyproject.toml",
        )
    ),
    *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS),
]
RETIRED = (
    "whole or not at all",
    "is no shard",
    r"(?:it|this|that|which|but) is no (?!longer|better)\w+",
    r"is no (?:Word|EPUB|XML|PDF|book)",
    r"is of no \w+",
    "looking what is there",
    "anew",
    "Nobody",
    "doubtful",
    "too little follows to tell",
    "one a core",
    "one a graphics card",
    "in company",
    "says nothing meanwhile",
    "a cheaper guess",
    "Who takes",
)


@pytest.mark.parametrize("phrase", RETIRED)
def test_the_phrase_does_not_return(phrase):
    pattern = re.compile(r"\b" + phrase.replace(" ", r"\s+") + r"\b")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in FILES
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found
