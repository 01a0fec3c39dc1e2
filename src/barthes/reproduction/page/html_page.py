"""A reproduction as one self-contained HTML page: no network, no scripts, light and dark, fit to print."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from barthes.reproduction.page.contents import compose
from barthes.reproduction.page.drawings import draw_all
from barthes.reproduction.page.wording import clean

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["FIGURES_REMEDY", "render_html"]

FIGURES_REMEDY = 'The figures need matplotlib: pip install "barthes[figures]", then run the command again.'


def render_html(plain: dict[str, Any]) -> str:
    """The whole reproduction as a page; the same dict gives the same bytes on every run.

    Without matplotlib the page has no figures and says in one line how to get them.
    """
    plain = clean(plain)
    drawings = draw_all(plain)
    return _template().render(
        document=compose(plain),
        drawings={} if drawings is None else {drawing.key: drawing for drawing in drawings},
        remedy=FIGURES_REMEDY if drawings is None else None,
    )


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("barthes.reproduction.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html")
