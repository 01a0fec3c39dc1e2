"""The security page names existing tests and the limits of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from barthes.models.store import RECHECK_DAYS
from barthes.reading import archive, pdf
from barthes.reading.source import LARGEST
from barthes.web.server import Limits
from barthes_research.corpora import corpus_files
from tests.fuzz import test_growth
from tests.fuzz.bounds import HANG

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:tests|scripts)/[\w/]+\.py)", PAGE)))


@pytest.mark.parametrize("path", NAMED)
def test_named_tests_exist(path):
    assert (ROOT / path).is_file()


def test_every_guarantee_names_a_test():
    rows = [row for row in PAGE.splitlines() if row.startswith("| ") and not row.startswith("| guarantee")]
    assert len(rows) > 15
    for row in rows:
        assert re.search(r"`(tests|scripts)/", row.split("|")[-2]), row


def test_limits_are_those_of_the_code():
    limits = Limits()
    for figure in (
        f"{LARGEST // 1_000_000} MB per story",
        f"{pdf.MAX_CHARACTERS // 1_000_000} million characters, {pdf.MAX_PAGES:,} pages",
        f"{corpus_files.MAX_FILES:,} files",
        f"{corpus_files.MAX_TOTAL_BYTES // 2**20} MiB per corpus",
        f"{archive.MAX_BYTES // 1_000_000} MB per member, {archive.MAX_TOTAL_BYTES // 1_000_000} MB in all",
        f"{archive.MAX_MEMBERS:,} members, ratio {archive.MAX_RATIO}",
        f"{limits.size // 1_000_000} MB, {limits.upload_seconds:.0f} seconds",
        f"{limits.sentences:,} sentences per story",
        f"{limits.waiting} queued; {limits.seconds / 60:.0f} minutes per story",
        f"after {RECHECK_DAYS} days",
        f"{len(test_growth.CASES)} hostile files below 1 MB, each under a limit of {HANG} seconds",
    ):
        assert figure in PAGE, figure
