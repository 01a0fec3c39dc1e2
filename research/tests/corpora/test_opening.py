import pytest

from barthes.corpora import list_kinds, open_corpus
from barthes.errors import BarthesError, ReadingError, UnknownNameError
from barthes.evaluation.labelled_file import LabelledFile
from barthes_research.corpora import (
    FairytaleQA,
    Hippocorpus,
    ProppLearner,
    Recall,
    RocStoriesSalience,
    Telegraphic,
    Tripod,
)

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
    for folder, file, text in (
        ("fairy/stories", "a-story.csv", "section,text\n1,The wolf came."),
        ("fairy/questions", "a-questions.csv", "cor_section,question,answer1\n1,Who came?,the wolf"),
        ("recalled", "walk.tsv", "story\tsentence\tlabel\nwalk1\tThe wolf came.\t0.8\n"),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / file).write_text(text)
    return {
        "fairytaleqa": (tmp_path / "fairy", FairytaleQA),
        "recall": (tmp_path / "recalled", Recall),
        "hippocorpus": (tmp_path / "events.csv", Hippocorpus),
        "telegraphic": (tmp_path / "short", Telegraphic),
        "propplearner": (DATA, ProppLearner),
        "rocstories-salience": (tmp_path / "val.json", RocStoriesSalience),
        "tripod": (tmp_path / "films.csv", Tripod),
        "labelled": (tmp_path / "mine.tsv", LabelledFile),
    }


@pytest.mark.parametrize("kind", list_kinds())
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
