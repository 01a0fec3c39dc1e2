"""Formats with one document per story (see `barthes score --format`), and zip files of them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from barthes.narrative import Narrative
from barthes.report.escaping import FileNames
from barthes.report.exports.booknlp import to_booknlp
from barthes.report.exports.catma import to_catma, write_source
from barthes.report.exports.tei import to_tei
from barthes.report.exports.web_annotation import to_web_annotations
from barthes.report.exports.webanno import to_webanno
from barthes.salience.profile import Profile


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A format for one story.

    Attributes:
        ending: The extension of a file in a zip.
        write: Returns the document; takes the profile and `top`.
        write_source: Returns the plain text that a zip should also contain; None for no text.
    """

    ending: str
    write: Callable[..., str]
    write_source: Callable[[Narrative], str] | None = None

    def write_all(self, profile: Profile, *, top: int | None) -> dict[str, str]:
        """Return the documents of a story, by extension."""
        documents = {self.ending: self.write(profile, top=top)}
        source = {} if self.write_source is None else {"txt": self.write_source(profile.narrative)}
        return documents | source


DOCUMENTS = {
    "tei": DocumentFormat("xml", to_tei),
    "tei-standoff": DocumentFormat("xml", partial(to_tei, standoff=True)),
    "catma": DocumentFormat("xml", to_catma, write_source),
    "webanno": DocumentFormat("tsv", to_webanno),
    "web-annotation": DocumentFormat("jsonld", to_web_annotations, lambda narrative: narrative.text),
    "booknlp": DocumentFormat("tokens", to_booknlp),
}


class Bundle:
    """Collect the documents of many stories in one zip, under safe and unique names.

    >>> bundle = Bundle()
    >>> bundle.add("tales/a wolf.txt", {"xml": "<TEI/>"})
    >>> bundle.add("../a wolf.txt", {"xml": "<TEI/>"})
    >>> bundle.names
    ['a_wolf.xml', 'a_wolf-2.xml']
    """

    def __init__(self) -> None:
        self._contents: dict[str, str] = {}
        self._names = FileNames()

    @property
    def names(self) -> list[str]:
        """The names of the documents, in the order in which they were added."""
        return list(self._contents)

    def add(self, title: str, documents: dict[str, str]) -> None:
        """Add the documents of a story, given by extension."""
        stem = self._names.choose(title)
        for ending, content in documents.items():
            self._contents[f"{stem}.{ending}"] = content

    def to_bytes(self) -> bytes:
        """Return the zip; the same documents give the same bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self._contents.items():
                member = zipfile.ZipInfo(name)  # dated 1980
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, content.encode("utf-8"))
        return buffer.getvalue()
