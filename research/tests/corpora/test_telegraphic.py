from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import ReadingError
from barthes.evaluation.corpus import Corpus
from barthes.reading.rows import MalformedError
from barthes_research.corpora import Telegraphic, telegraphic
from barthes_research.corpora.telegraphic import align_phrases, fold_words

from .conftest import check_problem

WOLF = "The old wolf came to the village at night. “Stop!” cried the miller. Nobody heard him.\n"
WOLF_PHRASES = 'The wolf came to the village\nat night\n"stop" cried\n'
KING = "The king, who was ill, sent for the cook. She made soup. It rained. * * * He died."
KING_PHRASES = "king\nsent for the cook\nmade\nHe died.\n"
INDEX = """\
|   Index | Story Name | Author |
|---------+------------+--------|
|       2 | The King   | Nobody |
"""
WORDS = st.lists(st.sampled_from("abc"), max_size=7)


@pytest.fixture
def write(tmp_path):
    def write(stories=None, phrases=None, index=INDEX):
        stories = stories or {"10.txt": WOLF, "2.txt": KING}
        phrases = phrases or {"10.txt": WOLF_PHRASES, "2.txt": KING_PHRASES}
        for folder, files in (("stories", stories), ("telegraphic", phrases)):
            (tmp_path / folder).mkdir()
            for name, text in files.items():
                (tmp_path / folder / name).write_text(text, encoding="utf-8")
        if index:
            (tmp_path / "index.txt").write_text(index, encoding="utf-8")
        return tmp_path

    return write


def test_the_grade_of_a_sentence_is_the_share_of_its_words_kept(write):
    corpus: Corpus = Telegraphic(write())
    king, wolf = corpus  # by number
    assert (king.name, king.narrative.title) == ("2", "The King")
    assert (wolf.name, wolf.narrative.title) == ("10", "10")
    assert [len(str(sentence).split()) for sentence in wolf.narrative] == [9, 4, 3]
    assert wolf.grades == pytest.approx((8 / 9, 2 / 4, 0))
    assert wolf.labels == (True, True, False)
    kept = [wolf.narrative.text[start:end] for start, end in wolf.kept]
    assert kept == "The wolf came to the village at night Stop cried".split()
    died = next(k for k, sentence in enumerate(king.narrative) if "died" in sentence.text)
    assert king.grades[0] == pytest.approx(5 / 9)
    assert king.grades[died] == 1
    assert (corpus.words, corpus.matched, corpus.problems) == (18, 18, ())
    assert (corpus.name, corpus.labelling) == ("Telegraphic", "half of the words kept")
    assert corpus.annotate is corpus.tokenize is None


def test_an_event_is_salient_if_its_predicate_is_kept(write):
    corpus = Telegraphic(write(index=""))
    events: Corpus = corpus.events
    assert events is corpus.events, "the stories are parsed once"
    king, wolf = events
    assert [(k, event.predicate.text) for k, event in wolf.events] == [
        (0, "came"),
        (1, "Stop"),
        (1, "cried"),
        (2, "heard"),
    ]
    assert wolf.labels == (True, True, True, False)
    assert wolf.grades == (1.0, 1.0, 1.0, 0.0)
    by_predicate = {
        event.predicate.text: label for (_, event), label in zip(king.events, king.labels, strict=True)
    }
    assert by_predicate.items() >= {"sent": True, "made": True, "rained": False, "died": True}.items()
    assert (events.unit, events.labelling, events.path) == ("event", "predicate kept", corpus.path)


def test_a_story_without_a_verb_has_no_events(write):
    path = write(
        {"1.txt": WOLF, "2.txt": "Night. Rain."}, {"1.txt": WOLF_PHRASES, "2.txt": "Night"}, index=""
    )
    corpus = Telegraphic(path)
    assert len(corpus) == 2
    assert [story.name for story in corpus.events] == ["1"]
    assert [str(problem) for problem in corpus.events.problems] == [
        "2.txt: story: it has no event: no verb was found"
    ]


def test_a_few_unaligned_words_are_problems_only(write, tmp_path):
    text = " ".join(f"word{number}" for number in range(30)) + "."
    phrases = "\n".join([*(f"word{number}" for number in range(29)), "Nowhere"])
    corpus = Telegraphic(write({"1.txt": text}, {"1.txt": phrases}))
    assert (corpus.words, corpus.matched) == (30, 29)
    check_problem(
        corpus, "telegraphic/1.txt", "line 30", "phrase", "not in the story, or not in this order: nowhere"
    )


@pytest.mark.parametrize(
    ("stories", "phrases", "reason"),
    [
        ({"2.txt": KING}, {}, "there is no telegraphic/2.txt"),
        ({}, {"2.txt": KING_PHRASES}, "there is no stories/2.txt"),
        ({"2.txt": KING}, {"2.txt": " \n"}, "telegraphic/2.txt has no words"),
        ({"2.txt": KING}, {"2.txt": "elephants\n"}, "none of the words of its phrases are in the story"),
        ({"2.txt": " "}, {"2.txt": "king\n"}, "none of the words"),
    ],
)
def test_a_malformed_story_is_left_out_and_listed(write, stories, phrases, reason):
    corpus = Telegraphic(write({"1.txt": WOLF, **stories}, {"1.txt": WOLF_PHRASES, **phrases}))
    assert [story.name for story in corpus] == ["1"]
    check_problem(corpus, "2.txt", "", "story", reason)


def test_what_is_no_such_corpus(write, tmp_path):
    with pytest.raises(ReadingError, match="stories: there is no such folder"):
        Telegraphic(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ReadingError, match="file: this is not a folder"):
        Telegraphic(tmp_path / "file")
    with pytest.raises(
        ReadingError, match=r"no story in it can be read; the first: 1\.txt: story: there is no"
    ):
        Telegraphic(write({"1.txt": WOLF}, {"2.txt": WOLF}))


def test_the_real_one(shared_data):
    corpus = Telegraphic(shared_data("telegraphic"))
    assert (len(corpus), corpus.words, corpus.matched) == (140, 31502, 31494)
    assert {problem.kind for problem in corpus.problems} == {"phrase"}
    assert len(corpus.problems) == 8
    sentences = sum(len(story.narrative) for story in corpus)
    assert sentences == pytest.approx(5602, abs=30)  # depends on the version of spaCy's tokenizer
    assert sum(sum(story.labels) for story in corpus) / sentences == pytest.approx(0.374, abs=0.005)
    assert all(story.narrative.title != story.name for story in corpus)


def rate(words, phrases, found):
    """Return what an alignment is worth: a word each, less a half for each gap inside a phrase."""
    score, before = 0.0, -1
    for phrase, places in zip(phrases, found, strict=True):
        for k, (word, place) in enumerate(zip(phrase, places, strict=True)):
            if place is not None:
                assert words[place] == word
                assert place > before
                contiguous = k == 0 or places[k - 1] == place - 1
                score, before = score + (1.0 if contiguous else 0.5), place
    return score


def try_all(words, phrases):
    """Return the worth of the best of all alignments."""
    flat = [word for phrase in phrases for word in phrase]
    best = 0.0
    for size in range(1, min(len(flat), len(words)) + 1):
        for chosen in combinations(range(len(flat)), size):
            for places in combinations(range(len(words)), size):
                if all(flat[i] == words[place] for i, place in zip(chosen, places, strict=True)):
                    found = dict(zip(chosen, places, strict=True))
                    numbers = iter(range(len(flat)))
                    shaped = [[found.get(next(numbers)) for _ in phrase] for phrase in phrases]
                    best = max(best, rate(words, phrases, shaped))
    return best


@given(words=WORDS, phrases=st.lists(st.lists(st.sampled_from("abcd"), max_size=3), max_size=3))
def test_no_alignment_is_better(words, phrases):
    found = align_phrases(words, phrases)
    assert [len(places) for places in found] == [len(phrase) for phrase in phrases]
    assert rate(words, phrases, found) == try_all(words, phrases)


def test_a_phrase_stays_together_where_it_can():
    words = fold_words("He came. She sang. He came home and she slept.")
    assert align_phrases(words, [["he", "came", "home"], ["she"]]) == [[4, 5, 6], [8]]
    assert align_phrases(words, [["she"], ["he"]]) == [[2], [4]]
    assert align_phrases(words, [["home"], ["he"]]) in ([[6], [None]], [[None], [4]])
    assert align_phrases([], [["a"]]) == [[None]]
    assert align_phrases(["a"], []) == []


def test_what_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(telegraphic, "MAX_CELLS", 10)
    with pytest.raises(MalformedError, match="3 words of phrases and 4 of text are too many to align"):
        align_phrases(list("abcd"), [list("abc")])
