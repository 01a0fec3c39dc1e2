"""Results as files and as interactive reports."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from barthes.methods import describe_method, parse_formula
from barthes.narrative import Narrative
from barthes.report.tables import to_rows
from barthes.salience.profile import Profile
from barthes.web.job import Job

_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')


def make_blank_profile(narrative: Narrative, job: Job) -> Profile:
    """Return a profile without scores, for the report of a running job."""
    import numpy as np

    from barthes.salience.influence import Influence

    info = describe_method(job.method)
    no_losses = tuple(np.empty(0) for _ in range(len(narrative)))
    return Profile(
        narrative,
        (math.nan,) * len(narrative),
        method=str(parse_formula(job.method)),
        model=job.model,
        notes=narrative.notes,
        unit=narrative.unit,
        influences=Influence(no_losses) if info.looks_ahead and info.kind == "single" else None,
    )


def render_report(profile: Profile) -> str:
    """Return the report as a page, whose `barthesReport.update` fills in scores."""
    from barthes.report.page import render_page

    title = profile.narrative.title  # never a path here, though it may look like one
    return render_page(profile, title=title if "/" in title or "\\" in title else None)


def describe_data(profile: Profile) -> dict[str, Any]:
    """Return everything that `barthesReport.update` takes."""
    from barthes.report.page.document import describe_profile

    data: dict[str, Any] = describe_profile(profile)["data"]
    keys = ("scores", "ranks", "unranked", "scale", "influence", "stability")
    return {key: data[key] for key in (*keys, "surprise", "preparation", "groups")}


def frame_policy(page: str) -> str:
    """Return the page's own Content-Security-Policy as a header that lets only our pages frame it."""
    found = _POLICY.search(page)
    policy = found[1].replace("&#39;", "'") if found else "default-src 'none'"
    return f"{policy}; frame-ancestors 'self'"


def _to_tei(profile: Profile) -> str:
    from barthes.report.exports.tei import to_tei

    return to_tei(profile)


def _to_json(profile: Profile) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.json"
        profile.save(path)
        return path.read_text(encoding="utf-8")


class Download(NamedTuple):
    """A file format of results."""

    description: str
    media_type: str
    write: Callable[[Profile], str]
    ending: str


DOWNLOADS = {
    "html": Download("interactive report in one file", "text/html; charset=utf-8", render_report, "html"),
    "tsv": Download(
        "tab-separated table",
        "text/tab-separated-values; charset=utf-8",
        lambda profile: to_rows(profile, delimiter="\t"),
        "tsv",
    ),
    "csv": Download(
        "table for spreadsheets",
        "text/csv; charset=utf-8",
        lambda profile: "\ufeff" + to_rows(profile, delimiter=","),  # or Excel takes it for Windows-1252
        "csv",
    ),
    "json": Download("scores, influence and text, for Profile.load", "application/json", _to_json, "json"),
    "tei": Download("TEI P5", "application/tei+xml; charset=utf-8", _to_tei, "tei.xml"),
}
"""File formats by the ending of their address."""


def name_file(title: str, ending: str) -> str:
    """Return the value of ``Content-Disposition``, with a name that is valid on every file system.

    >>> name_file('The "old" wolf.txt', "tsv")
    "attachment; filename=the-old-wolf.tsv; filename*=UTF-8''the-old-wolf.tsv"
    """
    stem = re.sub(r"\.[A-Za-z0-9]{1,8}$", "", title)
    words = re.sub(r"[\W_]+", "-", stem.lower()).strip("-")[:60].strip("-") or "story"
    plain = re.sub(r"[^a-z0-9-]+", "", words).strip("-") or "story"
    return f"attachment; filename={plain}.{ending}; filename*=UTF-8''{quote(words)}.{ending}"
