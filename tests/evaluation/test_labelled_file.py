import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import ReadingError
from barthes.evaluation.corpus import Corpus
from barthes.evaluation.labelled_file import LabelledFile, parse_grade

NO_LABELS = ["", " ", *"maybe y 2 -0.1 -1 0,5 nan inf 1e9 1_0 １ 0x1".split()]
NO_LABELS += [None, 2, -1, 1.5, float("nan"), float("inf"), 10**400, [1], {}]
HEADER = "story\tsentence\tlabel"
NO_HEADER = "its first line is not a header with the columns story, sentence, label; it has: "
TSV = """story\tsentence\tlabel
wolf\tIt rained.\t0
wolf\t"Help!" cried the goat.\t1
fox\tA fox slept.\tfalse
fox\tThe hunters came.\tTRUE
fox\tIt woke up.\t0.5
"""
ROWS = [
    {"story": "wolf", "sentence": "It rained.", "label": 0},
    {"story": "wolf", "sentence": '"Help!" cried the goat.', "label": 1},
    {"story": "fox", "sentence": "A fox slept.", "label": False},
    {"story": "fox", "sentence": "The hunters came.", "label": True},
    {"story": "fox", "sentence": "It woke up.", "label": 0.5},
]
WHOLE = [
    {"story": "wolf", "sentences": ["It rained.", '"Help!" cried the goat.'], "labels": [0, "1"]},
    {"story": "fox", "sentences": [row["sentence"] for row in ROWS[2:]], "labels": [False, True, 0.5]},
]
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "corpora.md"


def lines(objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


@pytest.mark.parametrize("text", [TSV, lines(ROWS), lines(WHOLE), TSV.replace("\n", "\r\n")])
def test_every_form_gives_the_same_stories(save, text):
    corpus: Corpus = LabelledFile(save(text, "mine.tsv"))
    wolf, fox = corpus
    assert (wolf.name, wolf.narrative.title, fox.name) == ("wolf", "wolf", "fox")
    assert [str(sentence) for sentence in wolf.narrative] == ["It rained.", '"Help!" cried the goat.']
    assert (wolf.labels, wolf.grades) == ((False, True), (0.0, 1.0))
    assert (fox.labels, fox.grades) == ((False, True, True), (0.0, 1.0, 0.5))
    assert (corpus.name, corpus.labelling, corpus.problems) == ("mine", "file", ())
    assert corpus.annotate is corpus.tokenize is None


def test_names_may_be_numbers(save):
    rows = [{"story": name, "sentence": "A.", "label": 1} for name in (1, 1, "2")]
    assert [story.name for story in LabelledFile(save(lines(rows), "mine.tsv"))] == ["1", "2"]


@pytest.mark.parametrize(
    ("label", "grade"),
    [("0", 0), ("1", 1), (" True ", 1), ("FALSE", 0), ("0.25", 0.25), (".5", 0.5), ("1.", 1), ("5e-1", 0.5),
     ("yes", 1), ("No", 0), (0, 0), (1, 1), (True, 1), (0.25, 0.25),
     *((no_label, None) for no_label in NO_LABELS)],
)  # fmt: skip
def test_labels_and_grades(label, grade):
    assert parse_grade(label) == grade


@given(st.floats(0, 1))
def test_any_grade_is_read_as_python_writes_it(grade):
    assert parse_grade(repr(grade)) == parse_grade(grade) == grade


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        (" \n\n", "it is empty"),
        ("A wolf came. It left.\n", "its first line is not a header"),
        ("title;text;label\n", f"{NO_HEADER}title, text, label"),
        ("x" * 200, f"{NO_HEADER}{'x' * 100} …"),
        (f"{HEADER}\n", "it has no story"),
        (f"{HEADER}\n\tIt rained.\t1\n", "line 2: it does not say which story it belongs to"),
        ("story,sentence,label\nfox,It rained, hard.,1\n", "line 2: it has 4 cells under a header of 3"),
        (
            f"{HEADER}\nfox\tA.\t1\nfox\tB.\tmaybe\n",
            "line 3: the label 'maybe' of its sentence is not 0 or 1",
        ),
        (f"{HEADER}\nfox\tA.\t\n", "line 2: the label '' of its sentence is not"),
        (f"{HEADER}\nfox\t \t1\n", "line 2: its sentence is blank"),
        (
            f"{HEADER}\nfox\tA.\t1\nhen\tB.\t0\nfox\tC.\t1\n",
            "line 4: it starts the story 'fox' again",
        ),
        ('{"story": "a", "sentences": ["A."], "labels": [1, 0]}', "line 1: it has 2 labels for 1 sentences"),
        ('{"story": "a", "sentences": ["A."]}', "line 1: it has no list of labels"),
        ('{"story": "a", "sentences": "A.", "labels": [1]}', "line 1: it has no list of sentences"),
        ('{"story": "a", "sentences": ["A.", ""], "labels": [1, 0]}', "line 1: sentence 2 is blank"),
        (
            '{"story": "a", "sentences": ["A."], "labels": [NaN]}',
            "line 1: the label nan of sentence 1 is not 0 or 1",
        ),
        (lines(WHOLE) + lines(WHOLE), "line 3: it starts the story 'wolf' again"),
        (lines(WHOLE) + lines(ROWS[-1:]), "line 3: it starts the story 'fox' again"),
        (lines(ROWS) + '{"story": "fox", "sent\n', "line 6: it is not JSON"),
        (lines(ROWS) + "[1]\n", "line 6: it is not a JSON object"),
        (lines(ROWS) + '{"sentence": "A.", "label": 1}\n', "line 6: it does not say which story"),
        (lines(ROWS) + '{"story": "a", "label": 1, "label": 0}', "line 6: it gives the key"),
        ('{\n"story": "a"}', "line 1: it is not JSON"),
        ("[]", "line 1: it is not a JSON object"),
    ],
)
def test_what_is_no_such_file(save, text, reason):
    with pytest.raises(ReadingError, match=rf"mine\.tsv: {re.escape(reason)}.*Give a table"):
        LabelledFile(save(text, "mine.tsv"))


def test_nothing_there(tmp_path):
    with pytest.raises(ReadingError, match=r"no such file\. Check its name and folder\."):
        LabelledFile(tmp_path / "none.tsv")
    with pytest.raises(ReadingError, match="this is a folder"):
        LabelledFile(tmp_path)


@given(
    st.text(max_size=60), st.sampled_from(["", "story\tsentence\tlabel\n", '{"story": "a", "sentences": '])
)
def test_any_text_is_a_corpus_or_a_reading_error(tmp_path_factory, text, start):
    path = tmp_path_factory.mktemp("any") / "mine.tsv"
    path.write_bytes((start + text).encode("utf-8", "surrogatepass"))
    try:
        corpus = LabelledFile(path)
    except ReadingError:
        return
    assert all(len(story.labels) == len(story.grades) == len(story.narrative) for story in corpus)


def test_the_examples_of_the_documentation(save):
    """The blocks under *Your own stories*: a table with tabs, a JSON row, and a whole story."""
    section = PAGE.read_text(encoding="utf-8").split("## Your own stories")[1].split("\n## ")[0]
    table, rows, whole = re.findall(r"```(?:tsv|jsonl)\n(.*?)```", section, re.DOTALL)
    assert table.splitlines()[0].split("\t") == ["story", "sentence", "label"]
    corpora = [LabelledFile(save(text, "mine.tsv")) for text in (table, rows, whole)]
    assert all(not corpus.problems for corpus in corpora)
    assert [[(story.name, story.labels) for story in corpus] for corpus in corpora] == [
        [("goat", (False, True, True)), ("fox", (False, True))],
        [("goat", (False,))],
        [("fox", (False, True))],
    ]
    assert corpora[2][0] == corpora[0][1]
    assert corpora[0][0].grades == (0.0, 1.0, 0.5)
