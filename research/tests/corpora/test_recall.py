import json

import pytest

from barthes.errors import ReadingError
from barthes_research.corpora import Recall


def test_the_courses_of_a_table_are_one_group_and_have_links(tmp_path):
    rows = [
        "story\tsentence\tlabel",
        "a1\tYou wake. It rains.\t0.8",
        "a1\tA wolf comes.\t0",
        "a2\tYou wake.\t0.5",
    ]
    (tmp_path / "walk.tsv").write_text("\n".join(rows))
    (tmp_path / "walk_causal.json").write_text(json.dumps({"a1": {"raters": 2, "links": [[1, 2, 2]]}}))
    corpus = Recall(tmp_path)
    first, second = corpus
    assert (first.group, second.group) == ("walk", "walk")
    assert first.grades == (0.8, 0)
    assert len(first.narrative) == 2
    assert corpus.read_links() == {"a1": [(0, 1)]}


def test_a_file_is_not_a_folder(tmp_path):
    (tmp_path / "walk.tsv").write_text("story\tsentence\tlabel\n")
    with pytest.raises(ReadingError, match="not a folder"):
        Recall(tmp_path / "walk.tsv")


def test_the_public_story(shared_data):
    corpus = Recall(shared_data("recall"))
    assert (len(corpus), sum(len(story.narrative) for story in corpus)) == (22, 896)
    links = corpus.read_links()
    assert all(cause < effect for pairs in links.values() for cause, effect in pairs)
