"""The formats that hold one story a file, by name: what `barthes score --format` writes in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from barthes.report.exports.booknlp import to_booknlp
from barthes.report.exports.catma import to_catma, write_source
from barthes.report.exports.tei import to_tei
from barthes.report.exports.webanno import to_webanno
from barthes.report.tables import AnyProfile

__all__ = ["DOCUMENTS", "DocumentFormat"]


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A format for one story.

    Attributes:
        ending: Of a file in a zip.
        write: Gives the document; takes the profile and `top`.
        with_source: Whether the document points into a plain text that a zip should hold beside it.
    """

    ending: str
    write: Callable[..., str]
    with_source: bool = False

    def write_all(self, profile: AnyProfile, *, top: int | None) -> dict[str, str]:
        """The files of a story, by ending."""
        documents = {self.ending: self.write(profile, top=top)}
        return documents | ({"txt": write_source(profile.narrative)} if self.with_source else {})


DOCUMENTS = {
    "tei": DocumentFormat("xml", to_tei),
    "tei-standoff": DocumentFormat("xml", partial(to_tei, standoff=True)),
    "catma": DocumentFormat("xml", to_catma, with_source=True),
    "webanno": DocumentFormat("tsv", to_webanno),
    "booknlp": DocumentFormat("tokens", to_booknlp),
}
