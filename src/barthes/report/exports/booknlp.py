"""Export a profile as BookNLP's ``.tokens`` file: one row per token, with its sentence's or event's salience.

The first thirteen columns are BookNLP's, so that code for BookNLP reads this file; ours follow. As in
BookNLP, `byte_onset` and `byte_offset` count characters. Words, lemmas, tags and dependencies are from the
spaCy pipeline that BookNLP uses, applied to each sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from barthes.annotation.languages import resolve_language
from barthes.annotation.passages import TextPassage, unwrap
from barthes.annotation.pipeline import load_english, load_rules
from barthes.formats import FileFormat, write_each
from barthes.narrative import Narrative
from barthes.report.exports.marks import find_marks, find_paragraphs
from barthes.salience.profile import Profile

COLUMNS = (
    *("paragraph_ID", "sentence_ID", "token_ID_within_sentence", "token_ID_within_document"),
    *("word", "lemma", "byte_onset", "byte_offset", "POS_tag", "fine_POS_tag"),
    *("dependency_relation", "syntactic_head_ID", "event"),
)
"""BookNLP's own columns."""

_BATCH = 128


def to_booknlp(profile: Profile, *, top: int | None = None) -> str:
    """Return the story as a table of tokens.

    Args:
        profile: Of sentences (columns `sentence_salience`, `sentence_rank`, on every token of a sentence) or
            of events (`event_salience`, `event_rank`, on the predicate only).
        top: Figures for the most salient only.

    In the column `event`, ``EVENT`` marks all predicates that Barthes finds, not only asserted events as in
    BookNLP. In languages other than English that column, lemmas, tags and dependencies are empty.

    Raises:
        ModelError: The English pipeline is not installed.
    """
    narrative = profile.narrative
    found = sorted(find_marks(profile, top=top), key=lambda mark: -(mark.rank or 0))
    marks = {mark.start: mark for mark in found}  # of two events on one predicate, the more salient
    known = None if profile.unit != "event" else {mark.start for mark in find_marks(profile)}
    lines = ["\t".join([*COLUMNS, f"{profile.unit}_salience", f"{profile.unit}_rank"])]
    for row in _find_rows(narrative):
        if known is not None:
            row["event"] = "EVENT" if row["byte_onset"] in known else "O"
        place = narrative.spans[row["sentence_ID"]][0] if known is None else row["byte_onset"]
        mark = marks.get(place)
        figures = ("", "") if mark is None else (repr(float(mark.salience)), str(mark.rank or ""))
        lines.append("\t".join([*(str(row[column]) for column in COLUMNS), *figures]))
    return "\n".join(lines) + "\n"


def _find_rows(narrative: Narrative) -> Iterator[dict[str, Any]]:
    """Yield the columns of each token; only English is parsed."""
    from barthes.annotation.predicates import find_predicates

    language = resolve_language(narrative.language)
    parsed = language == "en"
    pipeline = load_english() if parsed else load_rules(language)
    starts = [start for start, _ in find_paragraphs(narrative)]
    lines = [unwrap(narrative.text, TextPassage(start, end)) for start, end in narrative.spans]
    docs = pipeline.pipe((line.text for line in lines), disable=["ner"], batch_size=_BATCH)
    number = 0
    for index, (doc, line) in enumerate(zip(docs, lines, strict=True)):
        predicates = {token.i for token in find_predicates(doc)} if parsed else set()
        for token in doc:
            start, end = line.trace(token.idx, token.idx + len(token))
            yield {
                "paragraph_ID": bisect_right(starts, narrative.spans[index][0]) - 1,
                "sentence_ID": index,
                "token_ID_within_sentence": token.i,
                "token_ID_within_document": number + token.i,
                "word": "".join(narrative.text[start:end].split()),
                "lemma": token.lemma_,
                "byte_onset": start,
                "byte_offset": end,
                "POS_tag": token.pos_,
                "fine_POS_tag": token.tag_,
                "dependency_relation": token.dep_,
                "syntactic_head_ID": number + token.head.i if parsed else "",
                "event": ("EVENT" if token.i in predicates else "O") if parsed else "",
            }
        number += len(doc)


BOOKNLP = FileFormat(
    name="booknlp",
    purpose="BookNLP's table of tokens",
    suffixes=(".tokens",),
    write=write_each(to_booknlp),
    options=frozenset({"top"}),
    one_story=True,
)
