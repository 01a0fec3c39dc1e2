"""The document of a reproduction: every experiment in the paper's order, those not run said to be so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from barthes.reproduction.page.cinderella import describe_cinderella
from barthes.reproduction.page.corpus_statistics import describe_corpus
from barthes.reproduction.page.document import Document, Section
from barthes.reproduction.page.main_results import describe_results, describe_tales
from barthes.reproduction.page.numerals import MISSING
from barthes.reproduction.page.perplexity import describe_perplexity
from barthes.reproduction.page.positions import describe_positions
from barthes.reproduction.page.provenance import describe_notes, describe_provenance
from barthes.reproduction.page.sanity_checks import describe_deletion, describe_ordering
from barthes.reproduction.page.wording import MODES

__all__ = ["compose"]

_EXPERIMENTS: dict[str, tuple[str, Callable[[dict[str, Any]], Section]]] = {
    "table1": ("Table 1: the corpus", describe_corpus),
    "table2": ("Table 2: mean average precision", describe_results),
    "perplexity": ("Perplexity and its correlation with MAP", describe_perplexity),
    "ordering": ("Appendix A.1: sentence ordering", describe_ordering),
    "deletion": ("Appendix A.3: deletion detection", describe_deletion),
    "cinderella": ("Appendix C: Cinderella", describe_cinderella),
}


def compose(plain: dict[str, Any]) -> Document:
    """The document of a reproduction, from the plain dict after `clean`."""
    notes = list(plain["notes"])
    sections: list[Section] = []
    for key, (heading, describe) in _EXPERIMENTS.items():
        known = plain.get(key)
        sections.append(_not_run(key, heading, notes) if known is None else describe(known))
        if key == "table2":
            sections += _behind_table2(plain)
    mode = plain["mode"]
    introduction = (
        "Our figures beside those of Otake et al. (2020), Modeling Event Salience in Narratives via "
        "Barthes’ Cardinal Functions. A dash stands where there is no figure; nothing is filled in.",
        f"Mode “{mode}”"
        + (f": {MODES[mode]}. " if mode in MODES else ". ")
        # both modes have the paper's, unless others are asked for
        + f"Labels: “{plain['settings'].get('labels', MISSING)}”.",
    )
    provenance = describe_provenance(plain)
    return Document("The paper, reproduced", introduction, (*sections, provenance, describe_notes(notes)))


def _behind_table2(plain: dict[str, Any]) -> list[Section]:
    """What Table 2 is the mean of: tales, and the scores of their sentences."""
    tales = describe_tales(plain["table2"]) if plain.get("table2") else None
    positions = describe_positions(plain["scores"]) if plain.get("scores") else None
    return [section for section in (tales, positions) if section is not None]


def _not_run(key: str, heading: str, notes: list[str]) -> Section:
    """What stands in the place of an experiment that was not run, with the notes that concern it."""
    names = (key, heading, heading.partition(": ")[0], heading.partition(": ")[2] or heading)
    own = tuple(note for note in notes if note.casefold().startswith(tuple(map(str.casefold, names))))
    return Section(key, heading, ("Not run.",) if own else ("Not run; see the notes at the end.",), own)
