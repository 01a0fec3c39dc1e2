"""Describe a shortened story as a plain dict for the page's template.

The page's script gets only the part `data`::

    {
      "unit":      "sentence",                 or "paragraph", "scene", "chapter"
      "name":      "the_wolf",                 for names of downloaded files
      "ending":    "txt",                      or "md", "fountain"
      "words":     27,                         of the whole story
      "pieces":    [{"text", "kind", "units": null | [3, 5]}, …],      of `barthes.cutting.pieces`
      "marks":     [1, 4, …],                  the pieces that are marks in the paragraphs, in order
      "units":     [{…, "row"}, …],            `Cut.to_dict` of each sentence, and its row of the list
      "header":    "story\\tindex\\t…\\n"        of the list
    }
"""

from __future__ import annotations

from typing import Any

from barthes.cutting.pieces import divide_text
from barthes.cutting.shortened import Shortened
from barthes.cutting.write_back import write_back
from barthes.report.cuts import CUT_COLUMNS, describe_cuts, write_cut
from barthes.report.escaping import FileNames, clean
from barthes.report.page.document import set_paragraphs
from barthes.report.wording import count, excerpt, name_story, name_weights
from barthes.version import __version__


def describe_shortened(shortened: Shortened) -> dict[str, Any]:
    """Return everything that the page shows as plain lists, dicts, texts and numbers."""
    narrative = shortened.narrative
    units = [each.to_dict() | {"row": write_cut(shortened, each, delimiter="\t")} for each in shortened.units]
    pieces = divide_text(write_back(narrative))
    settings = [
        ("Language model", name_weights(shortened.model)),
        ("Precision", clean(shortened.precision)),
        ("Read at once", count(shortened.window, "token") if shortened.window else "the whole story"),
        ("Asked for", f"at most {count(shortened.target, 'word')}"),
        ("Kept on request", ", ".join(str(index + 1) for index in shortened.protected)),
        ("Made with", f"Barthes {__version__}"),
    ]
    return {
        "title": name_story(narrative),
        "language": narrative.language,
        "summary": describe_cuts(shortened),
        "notes": [clean(note) for note in shortened.notes],
        "paragraphs": set_paragraphs(narrative.restore(), [], lambda unit: {}),
        "gone": {each.sentence.index for each in shortened.cuts},
        "unit": narrative.unit,
        "protected": set(shortened.protected),
        "cuts": [(clean(excerpt(each.sentence, narrative.unit)), each) for each in shortened.cuts],
        "settings": [(name, value) for name, value in settings if value],
        "data": {
            "unit": narrative.unit,
            "name": FileNames().choose(narrative.title),
            "ending": narrative.written_as,
            "words": shortened.words_before,
            "pieces": [piece.to_dict() for piece in pieces],
            "marks": [i for i, piece in enumerate(pieces) if piece.kind in ("mark", "break")],
            "protected": list(shortened.protected),
            "units": units,
            "header": "\t".join(CUT_COLUMNS) + "\n",
        },
    }
