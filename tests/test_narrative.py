from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import EmptyNarrativeError, NarrativeError
from barthes.narrative import Narrative

words = st.text(st.characters(blacklist_categories=("Cs",)), max_size=20)


@given(st.lists(words, max_size=8).filter(lambda parts: any(part.strip() for part in parts)))
def test_sentences_and_gaps_rebuild_the_text(parts):
    narrative = Narrative.from_sentences(parts)
    gaps, sentences = narrative.gaps, narrative.sentences
    rebuilt = gaps[0] + "".join(s.text + gap for s, gap in zip(sentences, gaps[1:], strict=True))
    assert rebuilt == narrative.text
    assert [s.text for s in sentences] == [part.strip() for part in parts if part.strip()]
    assert all(narrative.text[s.start : s.end] == s.text for s in sentences)


@pytest.mark.parametrize("spans", [((0, 0),), ((3, 2),), ((0, 99),), ((0, 5), (4, 8)), ((-1, 3),)])
def test_impossible_spans_are_refused(spans):
    with pytest.raises(NarrativeError):
        Narrative("The wolf came.", spans)


def test_a_narrative_has_a_sentence():
    with pytest.raises(EmptyNarrativeError, match="text with words"):
        Narrative.from_sentences(["", "  "])


def test_narratives_cannot_be_changed():
    narrative = Narrative.from_sentences(["The wolf came."])
    with pytest.raises(AttributeError):
        narrative.text = "The wolf left."  # type: ignore[misc]


def test_a_sentence_prints_on_one_line():
    narrative = Narrative("The wolf \n  came.", ((0, 17),))
    assert str(narrative[0]) == "The wolf came."
    assert narrative[-1] == narrative[0]
    assert len(narrative[0]) == 17


def test_errors_can_be_pickled():
    error = NarrativeError("it is bad.", where="tale.txt", remedy="Mend it.")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (NarrativeError, "tale.txt: it is bad. Mend it.")


def test_a_part_of_a_story_keeps_what_belongs_to_it():
    text = "I\n\nA wolf came. It ate.\n\nII\n\nIt rained. [Aside] She slept. The end."
    starts = [(text.index(each), text.index(each) + len(each)) for each in ("A wolf came.", "It ate.")]
    starts += [
        (text.index(each), text.index(each) + len(each)) for each in ("It rained.", "She slept.", "The end.")
    ]
    aside = (text.index("[Aside]"), text.index("[Aside]") + 7)
    chapters = ((0, "I"), (text.index("II\n"), "II"))
    story = Narrative(text, tuple(starts), chapters=chapters, left_out=(aside,), title="Wolves")
    part = story[1:4]
    assert [sentence.text for sentence in part] == ["It ate.", "It rained.", "She slept."]
    assert [(part.text[at : at + 2], title) for at, title in part.chapters] == [("It", "I"), ("II", "II")]
    assert [part.text[a:b] for a, b in part.left_out] == ["[Aside]"]
    assert story[:].spans == tuple((a - 3, b - 3) for a, b in starts)
    assert repr(story) == "<Narrative 'Wolves': 5 sentences, 67 characters>"
    for wrong in (slice(2, 2), slice(0, 4, 2)):
        with pytest.raises(NarrativeError, match="not a part"):
            story[wrong]
