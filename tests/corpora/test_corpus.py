import pytest

from barthes.corpora import Corpus, LabelledNarrative, ProppLearner
from barthes.corpora.problems import Problem, count_problems
from barthes.errors import ReadingError, UnknownNameError
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
