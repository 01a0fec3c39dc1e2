"""The threat model is true to the tests: whatever file it names as proof is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from barthes.corpora import corpus_files
from barthes.models.store import RECHECK_DAYS
from barthes.reading import archive, pdf
from barthes.reading.source import LARGEST
from barthes.web.server import Limits
from tests.fuzz import test_growth

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "trust.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:tests|scripts)/[\w/]+\.py)", PAGE)))


@pytest.mark.parametrize("path", NAMED)
def test_a_test_that_is_named_is_there(path):
    assert (ROOT / path).is_file()


def test_every_promise_names_a_test():
    rows = [row for row in PAGE.splitlines() if row.startswith("| ") and not row.startswith("| promise")]
    assert len(rows) > 20
    for row in rows:
        assert re.search(r"`(tests|scripts)/", row.split("|")[-2]), row


def test_the_figures_are_those_of_the_code():
    limits = Limits()
    for figure in (
        f"{LARGEST // 1_000_000} MB a story",
        f"{pdf.MAX_CHARACTERS // 1_000_000} million characters and {pdf.MAX_PAGES:,} pages",
        f"{corpus_files.MAX_FILES:,} files",
        f"{corpus_files.MAX_TOTAL_BYTES // 2**20} MiB a corpus",
        f"{archive.MAX_BYTES // 1_000_000} MB a member, {archive.MAX_TOTAL_BYTES // 1_000_000} MB of all",
        f"{archive.MAX_MEMBERS:,} members, {archive.MAX_RATIO} times swollen",
        f"{limits.size // 1_000_000} MB and {limits.upload_seconds:.0f} seconds a story",
        f"{limits.sentences:,} sentences, {limits.waiting} stories in the queue",
        f"{limits.seconds / 60:.0f} minutes a scoring",
        f"after {RECHECK_DAYS} days",
        f"{test_growth.SECONDS} seconds of the processor for each of {len(test_growth.CASES)} files",
    ):
        assert figure in PAGE, figure
