import gzip
import math
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.errors import OutputError, ReadingError
from barthes.narrative import Narrative

words = st.text(alphabet="abcABCé'.-", min_size=1, max_size=4)
documents = st.lists(st.lists(words, max_size=8), max_size=6)


@given(documents)
def test_each_document_counts_a_word_once(texts):
    frequencies = DocumentFrequencies.count(texts)
    assert frequencies.documents == len(texts)
    for word in {word.lower() for text in texts for word in text}:
        assert frequencies.counts[word] == sum(word in [w.lower() for w in text] for text in texts)


@given(documents, st.lists(words))
def test_including_is_counting_one_more(texts, last):
    assert DocumentFrequencies.count(texts).including(last) == DocumentFrequencies.count([*texts, last])


@given(documents, words)
def test_idf_is_finite_and_falls_with_the_count(texts, word):
    frequencies = DocumentFrequencies.count(texts)
    assert 1 <= frequencies.idf(word) <= math.log(1 + len(texts)) + 1
    assert frequencies.including([word]).idf(word.lower()) <= frequencies.including([]).idf(word.lower())


def test_narratives_are_counted_by_sentences_only():
    story = Narrative("TITLE A wolf. A goat.", ((6, 13), (14, 21)))
    assert DocumentFrequencies.from_narratives([story]).counts == {"a": 1, "wolf": 1, ".": 1, "goat": 1}


def test_tokens_can_come_from_elsewhere():
    story = Narrative.from_sentences(["Don't."])
    counted = DocumentFrequencies.from_narratives([story], tokenize=lambda narrative: [["gold", "Tokens"]])
    assert counted == DocumentFrequencies(1, {"gold": 1, "tokens": 1})


@settings(max_examples=30)
@given(documents)
def test_saved_is_loaded_equal_and_in_the_same_bytes(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("tables")
    frequencies = DocumentFrequencies.count(texts)
    frequencies.save(folder / "a.tsv.gz")
    shuffled = DocumentFrequencies(frequencies.documents, dict(reversed(frequencies.counts.items())))
    shuffled.save(folder / "b.tsv.gz")
    assert DocumentFrequencies.load(folder / "a.tsv.gz") == frequencies
    assert (folder / "a.tsv.gz").read_bytes() == (folder / "b.tsv.gz").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"documents\t3\n",
        gzip.compress(b"", mtime=0),
        gzip.compress(b"wolf\t3\n", mtime=0),
        gzip.compress(b"documents\tmany\n", mtime=0),
        gzip.compress(b"documents\t3\nwolf\n", mtime=0),
        gzip.compress(b"documents\t3\nwolf\t4\n", mtime=0),
        gzip.compress(b"documents\t3\nwolf\t1\n", mtime=0)[:-12],
        gzip.compress(b"documents\t3\nw\xff\t1\n", mtime=0),
    ],
)
def test_invalid_tables_are_refused(tmp_path, content):
    path = tmp_path / "table.tsv.gz"
    path.write_bytes(content)
    with pytest.raises(ReadingError, match=r"table\.tsv\.gz: is not a table of document frequencies"):
        DocumentFrequencies.load(path)


def test_missing_tables_and_folders_are_refused(tmp_path):
    with pytest.raises(ReadingError, match="cannot be read"):
        DocumentFrequencies.load(tmp_path / "none.tsv.gz")
    with pytest.raises(OutputError, match="cannot be written"):
        DocumentFrequencies(1, {}).save(tmp_path / "none" / "table.tsv.gz")


@pytest.mark.parametrize("counts", [{"wolf": 3}, {"wolf": -1}])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError, match="0 to 2 of 2 documents"):
        DocumentFrequencies(2, counts)


def test_the_bundled_table_knows_folktale_english():
    bundled = DocumentFrequencies.bundled()
    assert bundled is DocumentFrequencies.bundled()
    assert bundled.documents > 500
    assert min(bundled.counts.values()) >= 2
    assert all(word == word.lower() for word in bundled.counts)
    assert bundled.idf("the") < bundled.idf("king") < bundled.idf("wolf") < bundled.idf("samovar")
    assert pickle.loads(pickle.dumps(bundled)) == bundled
    path = Path(__file__).parents[2] / "src/barthes/baselines/data/document_frequencies.tsv.gz"
    assert path.stat().st_size < 300_000
    beside = DocumentFrequencies(1, {}).add_scaled(
        bundled, documents=10, words=["``", "''", "-lrb-", '"', "("]
    )
    assert beside.counts["``"] == beside.counts["''"] == beside.counts['"'] > 5
    assert beside.counts["-lrb-"] == beside.counts["("] > 0, "signs of the Penn Treebank are looked up"


def test_the_bundled_table_is_what_the_script_counts(shared, count_script):
    tales = [tale for _, _, tale in count_script.read_tales(shared("data/folktales"))]
    assert count_script.count_tales(tales, minimum=2) == DocumentFrequencies.bundled()
