"""The last sentence is scored by one token; people who read a table must be told."""

import io

from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.report.last_sentence import LAST_SENTENCE, rests_on_one_token
from barthes.report.terminal import print_profile
from barthes.salience.profile import Profile
from barthes.salience.removal_method import SentenceDeletion

STORY = Narrative.from_sentences(["The wolf came.", "It rained.", "The wolf ate the sheep."])


def show(profile, **options):
    stream = io.StringIO()
    print_profile(profile, file=stream, width=200, **options)
    return stream.getvalue()


def test_the_table_marks_it_and_says_why():
    profile = SentenceDeletion(CountingModel([STORY.text], k=1.0)).score(STORY)
    assert rests_on_one_token(profile)
    shown = show(profile)
    assert shown.count("†") == 2
    assert LAST_SENTENCE in shown
    [row] = [line for line in shown.splitlines() if " 3† " in line]
    assert "ate the sheep" in row


def test_a_table_that_does_not_show_it_does_not_speak_of_it():
    profile = Profile(STORY, (0.5, 0.2, -1.0), "sd", model="a model")
    assert "†" not in show(profile, top=2)
    assert "†" in show(profile, top=3)


def test_methods_without_a_model_compare_all_sentences():
    profile = Profile(STORY, (0.5, 0.2, 1.0), "length")
    assert not rests_on_one_token(profile)
    assert "†" not in show(profile)


def test_a_single_sentence_has_a_note_of_its_own():
    alone = Narrative.from_sentences(["The wolf came."])
    assert not rests_on_one_token(Profile(alone, (0.5,), "sd", model="a model"))


def test_a_bar_that_is_cut_says_so():
    shown = show(Profile(STORY, (0.05, 0.02, 2.25), "sd", model="a model"))
    assert [line for line in shown.splitlines() if "»" in line] == [
        line for line in shown.splitlines() if "+2.250" in line
    ]


def test_a_model_that_looks_back_compares_all_sentences():
    for method, alone in (
        ("pmi", False),
        ("position+pmi", False),
        ("placed:centroid+embedding", False),
        ("ranks:sd+pmi", True),
    ):
        assert rests_on_one_token(Profile(STORY, (0.5, 0.2, 1.0), method, model="a model")) == alone
