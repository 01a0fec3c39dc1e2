import subprocess
import sys

import pytest

from barthes import corpora
from barthes.corpora import (
    CORPUS_NAMES,
    Hippocorpus,
    LabelledFile,
    ProppLearner,
    RocStoriesSalience,
    Telegraphic,
    Tripod,
    open_corpus,
)
from barthes.corpora.opening import check_corpus
from barthes.errors import BarthesError, ReadingError, UnknownNameError

from .conftest import DATA


@pytest.fixture
def files(tmp_path):
    (tmp_path / "mine.tsv").write_text("story\tsentence\tlabel\nwolf\tIt came.\t1\n")
    (tmp_path / "val.json").write_text('{"a": {"storytitle": "A", "story": ["B."], "most_important": ["1"]}}')
    (tmp_path / "films.csv").write_text(
        "movie_name,synopsis_segmented,tp1,tp2,tp3,tp4,tp5\nHeist_0,[STR_SENT] A. [END_SENT],0,0,0,0,0\n"
    )
    (tmp_path / "events.csv").write_text(
        "HITId,HippocorpusAssignmentId,sentIx,sent,rawEventAnnot\nH,A,0,It came.,major-expected\n"
    )
    for folder in ("stories", "telegraphic"):
        (tmp_path / "short" / folder).mkdir(parents=True)
        (tmp_path / "short" / folder / "1.txt").write_text("The wolf came.")
    return {
        "hippocorpus": (tmp_path / "events.csv", Hippocorpus),
        "telegraphic": (tmp_path / "short", Telegraphic),
        "propplearner": (DATA, ProppLearner),
        "rocstories-salience": (tmp_path / "val.json", RocStoriesSalience),
        "tripod": (tmp_path / "films.csv", Tripod),
        "labelled": (tmp_path / "mine.tsv", LabelledFile),
    }


def test_public_names():
    assert sorted(corpora.__all__) == sorted(corpora._MODULES) == sorted(dir(corpora))
    assert all(getattr(corpora, name) is not None for name in corpora.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Corpse'"):
        _ = corpora.Corpse


def test_the_names_alone_load_no_reader():
    script = "import sys; from barthes.corpora.opening import CORPUS_NAMES; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("barthes.corpora.")}
    assert loaded == {"barthes.corpora.opening"}


@pytest.mark.parametrize("kind", CORPUS_NAMES)
def test_every_kind_opens_its_own_files_only(files, kind, tmp_path):
    path, expected = files[kind]
    corpus = open_corpus(f"{kind}={path}")
    assert isinstance(corpus, expected)
    assert any(any(story.labels) for story in corpus)
    assert all(len(story.grades) == len(story.narrative) for story in corpus)
    assert corpus.labelling
    assert (corpus.annotate is not None) == (corpus.tokenize is not None) == (kind == "propplearner")
    for other in files.keys() - {kind}:
        with pytest.raises(ReadingError) as caught:
            open_corpus(f"{kind}={files[other][0]}")
        assert caught.value.remedy
    with pytest.raises(ReadingError, match=r"no such (?:file|folder)") as caught:
        open_corpus(f"{kind}={tmp_path / 'none'}")
    assert caught.value.where == str(tmp_path / "none")
    assert caught.value.remedy


def test_labels_are_chosen_for_propplearner(files):
    assert open_corpus(f"propplearner={DATA}").labelling == "paper"
    corrected = open_corpus(f" ProppLearner={DATA}", labels="corrected")
    assert corrected.labelling == "corrected"
    assert sum(map(sum, (tale.labels for tale in corrected))) == 3
    with pytest.raises(UnknownNameError, match=r"there is no label rule 'papr'\. Did you mean 'paper'"):
        open_corpus(f"propplearner={DATA}", labels="papr")
    for kind in files.keys() - {"propplearner"}:
        with pytest.raises(BarthesError, match=f"{kind} has one labelling only, and no 'corrected' labels"):
            open_corpus(f"{kind}={files[kind][0]}", labels="corrected")


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("proplearner=x", UnknownNameError, "Did you mean 'propplearner'"),
        ("rocstories=x", UnknownNameError, "Did you mean 'rocstories-salience'"),
        ("=x", UnknownNameError, "There are: hippocorpus, labelled"),
        ("tales/", BarthesError, "does not say of which kind it is. Give it as KIND=PATH.*Kinds are: propp"),
        ("propplearner", BarthesError, "does not say where it is. Give it as KIND=PATH"),
        ("propplearner= ", BarthesError, "does not say where it is"),
        ("", BarthesError, "does not say of which kind"),
    ],
)
def test_names_that_are_refused(text, kind, reason):
    with pytest.raises(kind, match=reason):
        open_corpus(text)


def test_paths_may_hold_anything(monkeypatch, tmp_path):
    assert check_corpus("labelled=a=b.tsv")[1].name == "a=b.tsv"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert check_corpus("labelled=~/mine.tsv")[1] == tmp_path / "mine.tsv"
    assert check_corpus("labelled=~nobody-of-that-name/x")[1].name == "x"
