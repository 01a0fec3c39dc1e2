import dataclasses

import pytest

from barthes import CountingModel, PredicateArgumentAnonymization, VerbAnonymization
from barthes.corpora import Corpus, LabelledNarrative, ProppLearner
from barthes.corpora.problems import Problem, count_problems
from barthes.errors import NarrativeError, ReadingError, UnknownNameError
from barthes.narrative import Narrative

STORY = Narrative.from_sentences(["It rained.", "The wolf came."])


def count_labels(corpus: Corpus) -> int:
    """Something that knows no more than the protocol."""
    return sum(sum(story.labels) for story in corpus)


def test_propplearner_is_a_corpus(tmp_path, crane_bytes):
    (tmp_path / "crane2.sty").write_bytes(crane_bytes)
    (tmp_path / "crane10.sty").write_bytes(crane_bytes)
    corpus = ProppLearner(tmp_path)
    assert [tale.name for tale in corpus] == ["crane2", "crane10"]
    assert len(corpus) == 2
    assert corpus[1].number == 10
    assert count_labels(corpus) == 4
    assert count_labels(ProppLearner(str(tmp_path), rule="corrected")) == 6


def test_labels_are_as_long_as_the_narrative():
    assert LabelledNarrative("wolf", STORY, (False, True)).labels == (False, True)
    with pytest.raises(ValueError, match="1 labels for 2 sentences"):
        LabelledNarrative("wolf", STORY, (True,))


def test_grades_default_to_the_labels():
    assert LabelledNarrative("wolf", STORY, (False, True)).grades == (0.0, 1.0)
    assert LabelledNarrative("wolf", STORY, (False, True), (0.25, 0.75)).grades == (0.25, 0.75)
    with pytest.raises(ValueError, match="1 grades for 2 sentences"):
        LabelledNarrative("wolf", STORY, (False, True), (0.5,))
    for wrong in (1.5, -0.1, float("nan")):
        with pytest.raises(ValueError, match="from 0 to 1"):
            LabelledNarrative("wolf", STORY, (False, True), (0.5, wrong))


def test_a_tale_has_grades(crane):
    assert crane.labels == (False, False, True, True)
    assert crane.grades == (0.0, 0.0, 1.0, 1.0)


def test_gold_annotation_and_words_of_its_own_tales(tmp_path, crane, crane_bytes):
    (tmp_path / "crane1.sty").write_bytes(crane_bytes)
    corpus: Corpus = ProppLearner(tmp_path)
    assert corpus.annotate(crane.narrative) == crane.annotation
    assert corpus.tokenize(crane.narrative) == crane.words
    renamed = dataclasses.replace(crane.narrative, title="Another", notes=("a note",))
    assert corpus.annotate(renamed) == crane.annotation
    other = dataclasses.replace(crane.narrative, spans=crane.narrative.spans[1:])
    for narrative in (STORY, other):
        for ask in (corpus.annotate, corpus.tokenize):
            with pytest.raises(NarrativeError, match="not a tale of this corpus"):
                ask(narrative)


def test_gold_annotation_serves_the_methods(tmp_path, crane, crane_bytes):
    (tmp_path / "crane1.sty").write_bytes(crane_bytes)
    corpus = ProppLearner(tmp_path)
    model = CountingModel([crane.narrative.text])
    for method in (VerbAnonymization, PredicateArgumentAnonymization):
        assert len(method(model, annotate=corpus.annotate).score(crane.narrative).scores) == 4


def test_a_file_that_cannot_be_read_is_reported_and_left_out(tmp_path, crane_bytes):
    (tmp_path / "crane1.sty").write_bytes(crane_bytes)
    (tmp_path / "crane2.sty").write_bytes(b"<!DOCTYPE story><story/>")
    (tmp_path / "crane3.sty").write_bytes(b"")
    corpus = ProppLearner(tmp_path)
    assert len(corpus) == 1
    assert [(problem.file, problem.kind) for problem in corpus.problems] == [
        ("crane2.sty", "file"),
        ("crane3.sty", "file"),
    ]
    assert "document type" in corpus.problems[0].what
    assert repr(corpus) == "ProppLearner(1 tales, 2 problems)"


def test_no_tale_at_all(tmp_path):
    (tmp_path / "crane1.sty").write_bytes(b"")
    with pytest.raises(ReadingError, match=r"none of its \.sty files can be read; the first: crane1\.sty"):
        ProppLearner(tmp_path)


def test_unknown_rule(tmp_path, crane_bytes):
    (tmp_path / "crane1.sty").write_bytes(crane_bytes)
    with pytest.raises(UnknownNameError):
        ProppLearner(tmp_path, rule="papr")


def test_problems_are_counted_by_file_and_kind():
    problems = [Problem("a", "1", "tree", "x"), Problem("a", "2", "role", "x"), Problem("b", "", "file", "x")]
    assert count_problems(problems) == {"a": {"tree": 1, "role": 1}, "b": {"file": 1}}
    assert [str(problem) for problem in problems[1:]] == ["a 2: role: x", "b: file: x"]
