from hypothesis import given
from hypothesis import strategies as st

from barthes.baselines.surface_cues import Length
from barthes.narrative import Narrative

words = st.lists(st.text(alphabet="abcdefgäß", min_size=1), min_size=1, max_size=8)


@given(st.lists(words, min_size=1))
def test_a_sentence_scores_its_words(sentences):
    narrative = Narrative.from_sentences([" ".join(sentence) + " . . ." for sentence in sentences])
    assert Length().score(narrative).scores == tuple(float(len(sentence)) for sentence in sentences)


def test_line_breaks_and_punctuation_are_no_words():
    story = Narrative.from_sentences(["“Stop,\nyou wolf!” she cried -- twice.", "* * *"], notes=["a note"])
    profile = Length().score(story)
    assert profile.scores == (6.0, 0.0)
    assert (profile.method, profile.notes) == ("length", ("a note",))
