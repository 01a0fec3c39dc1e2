from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from barthes.baselines.surface_cues import Position
from barthes.narrative import Narrative

narratives = st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences)


@given(narratives)
def test_later_sentences_score_higher(narrative):
    profile = Position().score(narrative)
    assert all(a < b for a, b in pairwise(profile.scores))
    assert profile.method == "position"


@given(narratives)
def test_descending_is_ascending_backwards(narrative):
    profile = Position(descending=True).score(narrative)
    assert profile.scores == Position().score(narrative).scores[::-1]
    assert profile.ranks == tuple(range(1, len(narrative) + 1))
    assert profile.method == "position-desc"


def test_it_reports_its_work_and_keeps_the_notes():
    story = Narrative.from_sentences(["A wolf came.", "It rained."], notes=["a note"])
    reports: list[tuple[int, int]] = []
    profile = Position().score(story, progress=lambda done, total: reports.append((done, total)))
    assert reports == [(2, 2)]
    assert (profile.notes, profile.model, profile.influence) == (("a note",), None, None)
