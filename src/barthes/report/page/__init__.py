"""Render profiles, comparisons and shortened stories as self-contained HTML pages, for screen and print."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from barthes.cutting.shortened import Shortened
from barthes.report.comparison import Comparison
from barthes.report.escaping import load_templates
from barthes.report.page.comparison_document import describe_comparison
from barthes.report.page.cut_document import describe_shortened
from barthes.report.page.document import describe_profile
from barthes.salience.profile import Profile

SCRIPTS = ("colours", "influence", "zoom", "story", "curve", "heatmap", "panel", "ranking", "report")
"""The page's scripts in the order they are loaded; `report` is the one that others call."""


def render_page(profile: Profile, *, title: str | None = None) -> str:
    """Return the interactive page of a profile; the same profile gives the same bytes.

    No text of a story can become markup or script: texts are escaped, data are JSON without ``<``, and the
    page's security policy allows only its own scripts, by their hashes.
    """
    return _render("page.html", describe_profile(profile, title=title), SCRIPTS)


def render_cell(profile: Profile, *, height: int = 720) -> str:
    """Return the page for the output cell of a notebook, in its own frame; `height` in CSS pixels."""
    page = html.escape(render_page(profile), quote=True)
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="Salience report" loading="lazy" '
        f'style="width: 100%; height: {height}px; border: 1px solid #8884; border-radius: 6px"></iframe>'
    )


def render_comparison(comparison: Comparison) -> str:
    """Return the page of a comparison, without scripts; the same comparison gives the same bytes."""
    return _render("comparison.html", describe_comparison(comparison))


def render_shortened(shortened: Shortened) -> str:
    """Return the page of a shortened story, on which cuts can be undone; as safe as `render_page`."""
    return _render("cut.html", describe_shortened(shortened), ["cut"])


def _render(template: str, document: dict[str, Any], names: Iterable[str] = ()) -> str:
    """Fill in a template with a document, whose `data` are for the scripts of those names."""
    folder = files("barthes.report.page") / "scripts"
    scripts = [(folder / f"{name}.js").read_text(encoding="utf-8") for name in names]
    digests = [base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()) for script in scripts]
    hashes = [f"'sha256-{digest.decode('ascii')}'" for digest in digests]
    data = json.dumps(document.get("data"), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "&<>":  # so that no text can end the element that holds the data
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    page = load_templates("barthes.report.page").get_template(template)
    return page.render(document=document, data=data, scripts=scripts, hashes=hashes)
