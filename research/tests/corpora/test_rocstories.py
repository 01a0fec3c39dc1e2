import json

import pytest

from barthes.errors import ReadingError
from barthes.reading import read_text
from barthes_research.corpora import RocStories

from .conftest import check_problem

CHESS = "A man played chess. He lost. He practised every day. He played again. He won."
QUOTED = '"Stop!" she cried. The dog ran off. Mr. Fox saw it. He caught it. She thanked him.'
UNMARKED = "A man lost his hat in the wind and he ran after it all over the town until he had it back again"


def write(save, *lines, name="stories.jsonl"):
    return save("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), name)


def test_stories_are_split_as_read_splits_them(save):
    lines = "It rained.\nIt snowed.\n\nIt hailed."
    texts = [CHESS, QUOTED, lines, UNMARKED, "  A wolf came. It left. ", CHESS]
    corpus = RocStories(write(save, *({"story": text} for text in texts)))
    assert corpus.texts == tuple(texts)
    assert list(corpus) == [read_text(text, title=f"story{n}") for n, text in enumerate(texts, start=1)]
    assert [len(narrative) for narrative in corpus][:3] == [5, 5, 3]
    assert len(corpus) == 6


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"story": "A man', "not JSON: Unterminated string"),
        ("[1]", "not a JSON object"),
        ("{}", "no story that is a text"),
        ('{"story": ["A man."]}', "no story that is a text"),
        ('{"story": " "}', "nothing in it but white space"),
        ('{"story": ""}', "it is empty"),
        ('{"story": "A \\ud800."}', "character 3 (U+D800) is not a valid character"),
        ('{"story": "A.", "story": "B."}', "the key 'story' twice"),
    ],
)
def test_a_malformed_line_is_left_out_and_listed(save, line, reason):
    corpus = RocStories(write(save, {"story": CHESS}, line))
    assert len(corpus) == 1
    check_problem(corpus, "stories.jsonl", "line 2", "story", reason)


def test_the_makers_table_is_split_already(save):
    header = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5"
    rows = ['8bb,Chess,"One, two. Three.",B.,C.,D.,E.', "9cc,Gap,A.,,C.,D.,E."]
    corpus = RocStories(write(save, header, *rows, name="roc.csv"))
    [narrative] = corpus
    assert (narrative.title, str(narrative[0]), len(narrative)) == ("8bb", "One, two. Three.", 5)
    assert corpus.texts == (narrative.text,)
    assert [str(problem) for problem in corpus.problems] == ["roc.csv line 3: story: sentence 2 is blank"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it has no story"),
        ("Once.", r"no story in it can be read; the first: stories\.jsonl line 1: story: it is not JSON"),
    ],
)
def test_what_is_no_such_file(save, text, reason):
    with pytest.raises(ReadingError, match=rf"stories\.jsonl: {reason}.*Give one JSON object"):
        RocStories(write(save, text))


def test_the_real_one(shared_data):
    corpus = RocStories(shared_data("rocstories/stories.jsonl"), limit=200)
    assert (len(corpus), corpus.total, corpus.problems) == (200, 2000, ())
    assert [len(narrative) for narrative in corpus].count(5) > 190
    assert all(read_text(each.text, title=each.title) == each for each in corpus.narratives[140:160])
