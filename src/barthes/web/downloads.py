"""Results as files to take away."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from barthes.report.tables import AnyProfile, to_rows

__all__ = ["DOWNLOADS", "Download", "name_file"]


@dataclass(frozen=True, slots=True)
class Download:
    """A form that a result can be had in.

    Attributes:
        description: What it is.
        kind: Its media type.
        write: Gives its content.
        ending: Of the file's name.
    """

    description: str
    kind: str
    write: Callable[[AnyProfile], str]
    ending: str


def _to_html(profile: AnyProfile) -> str:
    from barthes.web.reports import render_report

    return render_report(profile)


def _to_tei(profile: AnyProfile) -> str:
    from barthes.report.exports.tei import to_tei

    return to_tei(profile)


def _to_json(profile: AnyProfile) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.json"
        profile.save(path)
        return path.read_text(encoding="utf-8")


DOWNLOADS = {
    "html": Download("the interactive report, one file", "text/html; charset=utf-8", _to_html, "html"),
    "tsv": Download(
        "a table, tab-separated",
        "text/tab-separated-values; charset=utf-8",
        lambda profile: to_rows(profile, delimiter="\t"),
        "tsv",
    ),
    "csv": Download(
        "a table for spreadsheets",
        "text/csv; charset=utf-8",
        lambda profile: "\ufeff" + to_rows(profile, delimiter=","),  # or Excel takes it for Windows-1252
        "csv",
    ),
    "json": Download(
        "everything, as Profile.load reads it: scores, influence, text", "application/json", _to_json, "json"
    ),
    "tei": Download("TEI P5", "application/tei+xml; charset=utf-8", _to_tei, "tei.xml"),
}
"""The forms by the ending of their address."""


def name_file(title: str, ending: str) -> str:
    """The value of ``Content-Disposition``: a name that every file system takes, whatever the story's title.

    >>> name_file('The "old" wolf.txt', "tsv")
    "attachment; filename=the-old-wolf.tsv; filename*=UTF-8''the-old-wolf.tsv"
    """
    stem = re.sub(r"\.[A-Za-z0-9]{1,8}$", "", title)
    words = re.sub(r"[\W_]+", "-", stem.lower()).strip("-")[:60].strip("-") or "story"
    plain = re.sub(r"[^a-z0-9-]+", "", words).strip("-") or "story"
    return f"attachment; filename={plain}.{ending}; filename*=UTF-8''{quote(words)}.{ending}"
