import pytest

from barthes.corpora import CORPUS_NAMES, LabelledFile, ProppLearner, RocStoriesSalience, Tripod, open_corpus
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
    return {
        "propplearner": (DATA, ProppLearner),
        "rocstories-salience": (tmp_path / "val.json", RocStoriesSalience),
        "tripod": (tmp_path / "films.csv", Tripod),
        "labelled": (tmp_path / "mine.tsv", LabelledFile),
    }


@pytest.mark.parametrize("kind", CORPUS_NAMES)
def test_every_kind_opens(files, kind):
    path, expected = files[kind]
    corpus = open_corpus(f"{kind}={path}")
    assert isinstance(corpus, expected)
    assert any(any(story.labels) for story in corpus)
    assert all(len(story.grades) == len(story.narrative) for story in corpus)
    assert corpus.labelling
    assert (corpus.annotate is not None) == (corpus.tokenize is not None) == (kind == "propplearner")


def test_labels_are_chosen_for_propplearner(files):
    assert open_corpus(f"propplearner={DATA}").labelling == "paper"
    corrected = open_corpus(f" ProppLearner={DATA}", labels="corrected")
    assert corrected.labelling == "corrected"
    assert sum(map(sum, (tale.labels for tale in corrected))) == 3


@pytest.mark.parametrize("kind", [kind for kind in CORPUS_NAMES if kind != "propplearner"])
def test_labels_that_a_corpus_does_not_have(files, kind):
    with pytest.raises(BarthesError, match=f"{kind} has one labelling only, and no 'corrected' labels"):
        open_corpus(f"{kind}={files[kind][0]}", labels="corrected")


@pytest.mark.parametrize("kind", CORPUS_NAMES)
def test_nothing_there(kind, tmp_path):
    with pytest.raises(ReadingError) as caught:
        open_corpus(f"{kind}={tmp_path / 'none'}")
    assert caught.value.where == str(tmp_path / "none")
    assert "no such file" in caught.value.problem.lower()
    assert caught.value.remedy


@pytest.mark.parametrize("kind", CORPUS_NAMES)
@pytest.mark.parametrize("other", CORPUS_NAMES)
def test_another_kind_of_corpus(files, kind, other):
    if kind != other:
        with pytest.raises(ReadingError) as caught:
            open_corpus(f"{kind}={files[other][0]}")
        assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("proplearner=x", UnknownNameError, "Did you mean 'propplearner'"),
        ("rocstories=x", UnknownNameError, "Did you mean 'rocstories-salience'"),
        ("=x", UnknownNameError, "There are: labelled, propplearner"),
        ("tales/", BarthesError, "does not say of which kind it is. Give it as KIND=PATH.*Kinds are: propp"),
        ("propplearner", BarthesError, "does not say where it is. Give it as KIND=PATH"),
        ("propplearner= ", BarthesError, "does not say where it is"),
        ("", BarthesError, "does not say of which kind"),
    ],
)
def test_what_is_no_corpus(text, kind, reason):
    with pytest.raises(kind, match=reason):
        open_corpus(text)


def test_unknown_labels():
    with pytest.raises(UnknownNameError, match=r"there is no label rule 'papr'\. Did you mean 'paper'"):
        open_corpus(f"propplearner={DATA}", labels="papr")


def test_paths_may_hold_anything(monkeypatch, tmp_path):
    assert check_corpus("labelled=a=b.tsv")[1].name == "a=b.tsv"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert check_corpus("labelled=~/mine.tsv")[1] == tmp_path / "mine.tsv"
    assert check_corpus("labelled=~nobody-of-that-name/x")[1].name == "x"
