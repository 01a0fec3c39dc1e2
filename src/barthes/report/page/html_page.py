"""A profile as one self-contained HTML page: no network, light and dark, fit to print."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from barthes.report.page.document import describe_profile
from barthes.report.tables import AnyProfile

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["SCRIPTS", "render_cell", "render_page", "render_template"]

SCRIPTS = ("colours", "influence", "story", "curve", "heatmap", "panel", "ranking", "report")
"""The page's scripts in the order they are loaded; `report` is the one that others call."""


def render_page(profile: AnyProfile, *, title: str | None = None) -> str:
    """The page; the same profile gives the same bytes.

    Nothing of a story can become markup or script: texts are escaped, data travel as JSON without ``<``, and
    the page's security policy allows no script but its own, known by their hashes.
    """
    document = describe_profile(profile, title=title)
    return render_template("page.html", document=document, data=_as_json(document["data"]))


def render_cell(profile: AnyProfile, *, height: int = 720) -> str:
    """The page for the output cell of a notebook, in a frame of its own; `height` in CSS pixels."""
    page = html.escape(render_page(profile), quote=True)
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="Salience report" loading="lazy" '
        f'style="width: 100%; height: {height}px; border: 1px solid #8884; border-radius: 6px"></iframe>'
    )


def render_template(name: str, **content: Any) -> str:
    """A template of this folder, with the page's scripts and their hashes at hand."""
    scripts = [_script(each) for each in SCRIPTS]
    return (
        _environment().get_template(name).render(scripts=scripts, hashes=list(map(_hash, scripts)), **content)
    )


def _as_json(data: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in."""
    plain = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return plain.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@cache
def _script(name: str) -> str:
    return (files("barthes.report.page") / "scripts" / f"{name}.js").read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """As a content security policy names a script that may run."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("barthes.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
