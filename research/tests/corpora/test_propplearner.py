"""ProppLearner: a tale of ours, and the figures of the paper on the real corpus if it is there."""

import dataclasses
import re
import shutil
from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from barthes import CountingModel, DocumentFrequencies, Position, TfIdf, VerbAnonymization
from barthes.errors import NarrativeError, ReadingError, UnknownNameError
from barthes.evaluation.corpus import Corpus
from barthes.narrative import Narrative
from barthes_research.corpora import ProppLearner
from barthes_research.corpora.propplearner import describe


def test_a_corpus_in_the_order_of_the_stories(tmp_path, crane, crane_bytes):
    (tmp_path / "crane2.sty").write_bytes(crane_bytes)
    (tmp_path / "crane10.sty").write_bytes(crane_bytes)
    corpus: Corpus = ProppLearner(tmp_path)
    assert [tale.name for tale in corpus] == ["crane2", "crane10"]
    assert (len(corpus), corpus[1].number) == (2, 10)
    assert sum(sum(tale.labels) for tale in corpus) == 4
    assert sum(sum(tale.labels) for tale in ProppLearner(str(tmp_path), rule="corrected")) == 6
    assert crane.grades == (0.0, 0.0, 1.0, 1.0)
    with pytest.raises(UnknownNameError):
        ProppLearner(tmp_path, rule="papr")


def test_gold_annotation_and_words_of_its_own_tales(tmp_path, crane, crane_bytes):
    (tmp_path / "crane1.sty").write_bytes(crane_bytes)
    corpus = ProppLearner(tmp_path)
    renamed = dataclasses.replace(crane.narrative, title="Another", notes=("a note",))
    for narrative in (crane.narrative, renamed):
        assert corpus.annotate(narrative) == crane.annotation
        assert corpus.tokenize(narrative) == crane.words
    method = VerbAnonymization(CountingModel([crane.narrative.text]), annotate=corpus.annotate)
    assert len(method.score(crane.narrative).scores) == 4
    other = dataclasses.replace(crane.narrative, spans=crane.narrative.spans[1:])
    for narrative in (Narrative.from_sentences(["It rained."]), other):
        for ask in (corpus.annotate, corpus.tokenize):
            with pytest.raises(NarrativeError, match="not a tale of this corpus"):
                ask(narrative)


def test_a_file_that_cannot_be_read_is_reported_and_left_out(tmp_path, crane_bytes):
    (tmp_path / "crane2.sty").write_bytes(b"<!DOCTYPE story [<!ENTITY a 'b'>]><story/>")
    (tmp_path / "crane3.sty").write_bytes(b"")
    with pytest.raises(ReadingError, match=r"none of its \.sty files can be read; the first: crane2\.sty"):
        ProppLearner(tmp_path)
    (tmp_path / "crane1.sty").write_bytes(crane_bytes)
    corpus = ProppLearner(tmp_path)
    found = [(problem.file, problem.kind) for problem in corpus.problems]
    assert found == [("crane2.sty", "file"), ("crane3.sty", "file")]
    assert "declares the entity" in corpus.problems[0].what
    assert repr(corpus) == "ProppLearner(1 tales, 2 problems)"


def mean_average_precision(corpus, score):
    """Over the tales that have something to find; score(tale) gives one number a sentence."""
    scored = [tale for tale in corpus if any(tale.labels)]
    return float(np.mean([average_precision_score(tale.labels, score(tale)) for tale in scored]))


def test_statistics(propplearner, corrected):
    assert dataclasses.astuple(describe(propplearner)) == (15, 1302, 18878, 170)
    assert describe(corrected).functions == 174


def test_labels(propplearner, corrected):
    assert sum(sum(tale.labels) for tale in propplearner) == 205
    assert sum(sum(tale.labels) for tale in corrected) == 211
    assert sum(len(tale.labels) for tale in propplearner) == 1302


def score_by(method):
    return lambda tale: method.score(tale.narrative).scores


def test_our_own_baselines_give_the_papers_figures(propplearner):
    """Table 2's rows without a model, by the methods that people run."""
    narratives = [tale.narrative for tale in propplearner]
    frequencies = DocumentFrequencies.from_narratives(narratives, tokenize=propplearner.tokenize)
    tfidf = TfIdf(frequencies, tokenize=propplearner.tokenize)
    for method, figure in ((tfidf, 0.2786), (Position(), 0.2774), (Position(descending=True), 0.1849)):
        assert round(mean_average_precision(propplearner, score_by(method)), 4) == figure, method.name


def test_everything_is_read(propplearner):
    """As many descriptions as the files hold, but for those reported."""
    assert [tale.number for tale in propplearner] == list(range(1, 16))
    assert sum(len(tale.annotation.tokens) for tale in propplearner) == 23291
    assert sum(len(tale.annotation.events) for tale in propplearner) == 3812
    assert all(tree is not None for tale in propplearner for tree in tale.trees)
    assert all(token.tag for tale in propplearner for token in tale.annotation.tokens)
    assert all(tale.narrative.title for tale in propplearner)


def test_problems(propplearner):
    assert Counter((problem.file, problem.kind) for problem in propplearner.problems) == {
        ("story1.sty", "layer"): 1,
        ("story1.sty", "spelling"): 2,
        ("story4.sty", "spelling"): 1,
        ("story8.sty", "spelling"): 2,
        ("story9.sty", "spelling"): 1,
        ("story11.sty", "spelling"): 1,
        ("story12.sty", "spelling"): 1,
        ("story13.sty", "layer"): 1,
    }


def test_tokens_against_a_plain_reading_of_the_file(propplearner, propplearner_path):
    """An oracle that knows nothing of our parser."""
    tale = propplearner[8]
    raw = (propplearner_path / "story9.sty").read_text(encoding="utf-8")
    layer = re.search(r'<rep id="edu.mit.parsing.token">(.*?)</rep>', raw, re.DOTALL)[1]
    offsets = re.findall(r'len="(\d+)" off="(\d+)"', layer)
    expected = [(int(off) - tale.shift, int(off) + int(length) - tale.shift) for length, off in offsets]
    assert [token.span for token in tale.annotation.tokens] == expected


def test_an_archive_reads_like_a_folder(propplearner, propplearner_path, tmp_path):
    path = shutil.make_archive(str(tmp_path / "corpus"), "zip", propplearner_path)
    assert ProppLearner(path).tales == propplearner.tales
