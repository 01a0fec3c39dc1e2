"""Corpora by name."""

import pytest

from barthes import corpora, lab
from barthes.corpora import check_corpus, list_kinds, open_corpus
from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.corpus import CorpusKind
from barthes.evaluation.labelled_file import LabelledFile
from barthes.plugins import CORPORA, register, unregister


def test_public_names():
    assert dir(corpora) == sorted(corpora.__all__)
    assert all(getattr(corpora, name) is not None for name in corpora.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Corpse'"):
        _ = corpora.Corpse


def test_kinds_come_from_plugins(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("story\tsentence\tlabel\nwolf\tIt came.\t1\n")
    register(CORPORA, "fables", CorpusKind(LabelledFile))
    register(CORPORA, "rated", CorpusKind(lambda path, rule: (path.name, rule), ("ours", "theirs")))
    try:
        assert {"fables", "labelled", "rated"} <= set(list_kinds())
        assert open_corpus(f"Fables={path}").name == "mine"
        assert open_corpus(f"rated={path}") == ("mine.tsv", "ours")
        assert open_corpus(f"rated={path}", labels="theirs") == ("mine.tsv", "theirs")
        with pytest.raises(UnknownNameError, match=r"no label rule 'thiers'\. Did you mean 'theirs'"):
            open_corpus(f"rated={path}", labels="thiers")
        with pytest.raises(BarthesError, match="fables has one labelling only, and no 'ours' labels"):
            open_corpus(f"fables={path}", labels="ours")
    finally:
        unregister(CORPORA, "fables")
        unregister(CORPORA, "rated")


@pytest.mark.parametrize("kind", lab.CORPORA)
def test_a_corpus_of_the_lab_says_what_to_install(monkeypatch, kind):
    monkeypatch.setattr("barthes.corpora.find_plugins", lambda group: {})
    with pytest.raises(BarthesError, match="pip install barthes-research"):
        open_corpus(f"{kind}=x")


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("labeled=x", UnknownNameError, "Did you mean 'labelled'"),
        ("=x", UnknownNameError, "There are: .*labelled"),
        (
            "tales/",
            BarthesError,
            "does not say of which kind it is. Give it as KIND=PATH.*Kinds are: .*label",
        ),
        ("labelled", BarthesError, "does not say where it is. Give it as KIND=PATH"),
        ("labelled= ", BarthesError, "does not say where it is"),
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
