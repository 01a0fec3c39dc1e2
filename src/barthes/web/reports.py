"""The interactive report of a job, finished or still without scores, for the frame in the page."""

from __future__ import annotations

import math
import re
from typing import Any

from barthes.methods import LOOKING_AHEAD, parse_formula
from barthes.narrative import Narrative
from barthes.report.page import render_page
from barthes.report.page.document import describe_profile
from barthes.report.tables import AnyProfile
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile
from barthes.web.job import Job

__all__ = ["await_scores", "describe_data", "frame_policy", "heading", "render_report"]

_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')


def await_scores(narrative: Narrative, job: Job) -> Profile:
    """A profile in which nothing is known yet."""
    awaits_losses = job.model is not None and str(parse_formula(job.method)) in LOOKING_AHEAD
    return Profile(
        narrative,
        (math.nan,) * len(narrative),
        method=job.method,
        model=job.model,
        notes=narrative.notes,
        influences=Influence(_nothing(len(narrative))) if awaits_losses else None,
    )


def render_report(profile: AnyProfile) -> str:
    """The page; `barthesReport.update` fills in scores."""
    return render_page(profile, title=heading(profile))


def heading(profile: AnyProfile) -> str | None:
    """The story's title where it would pass for a path: stories that were sent here have none."""
    title = profile.narrative.title
    return title if "/" in title or "\\" in title else None


def describe_data(profile: AnyProfile) -> dict[str, Any]:
    """What `barthesReport.update` takes, complete."""
    data: dict[str, Any] = describe_profile(profile)["data"]
    return {key: data[key] for key in ("scores", "ranks", "scale", "influence", "stability")}


def frame_policy(page: str) -> str:
    """The policy that the page gives itself, as a header, and that only our own page may frame it."""
    found = _POLICY.search(page)
    policy = found[1].replace("&#39;", "'") if found else "default-src 'none'"
    return f"{policy}; frame-ancestors 'self'"


def _nothing(count: int) -> tuple[Any, ...]:
    import numpy as np

    return tuple(np.empty(0) for _ in range(count))
