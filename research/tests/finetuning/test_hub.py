"""Read data sets in local folders, by the same call as those on the hub."""

import json
import sys

import pytest

from barthes.errors import BarthesError, ReadingError, UnknownNameError
from barthes_research.finetuning import hub
from barthes_research.finetuning.hub import read_data_set

ROWS = [
    {"title": "Well", "text": "A crane came."},
    {"title": "Barn", "text": "  "},
    {"title": "Hill", "text": "It rained."},
]


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    datasets = pytest.importorskip("datasets", reason="the extra 'hub' is not installed")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    return datasets


def write(folder, rows, name="train.jsonl"):
    """Write a folder with these rows, or these lines of CSV."""
    folder.mkdir(exist_ok=True)
    lines = rows if isinstance(rows[0], str) else map(json.dumps, rows)
    (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return str(folder)


def read(source):
    return [story.text for story in read_data_set(source).stories]


def test_rows_are_stories_and_a_column_can_be_chosen(tmp_path):
    folder = write(tmp_path / "tales", ROWS)
    texts = read_data_set(folder)
    assert [(story.name, story.text) for story in texts.stories] == [
        (f"{folder}: 1", "A crane came."),
        (f"{folder}: 3", "It rained."),
    ]
    read_part = f"{folder}: read the part 'train', column 'text'."
    assert texts.notes == (read_part, f"{folder}: skipped 1 rows without text.")
    assert read(f"{folder}:title") == ["Well", "Barn", "Hill"]
    for source in (f"{folder}@nosuch", f"{folder}@nosuch:title"):
        with pytest.raises(ReadingError, match="'nosuch' not found"):
            read_data_set(source)
    with pytest.raises(UnknownNameError, match="Did you mean 'title'"):
        read_data_set(f"{folder}:titel")


def test_rows_that_are_sentences_are_joined_into_passages(tmp_path):
    rows = [{"text": f"The crane number {n:03} came to the well and drank of it ."} for n in range(200)]
    rows.insert(3, {"text": ""})
    texts = read_data_set(write(tmp_path / "books", rows))
    assert [story.name.rpartition(": ")[2] for story in texts.stories] == ["1 to 111", "112 to 201"]
    assert len({story.stretch for story in texts.stories}) == 2
    joined = " ".join(story.text for story in texts.stories)
    assert joined == " ".join(row["text"] for row in rows if row["text"])
    assert any("into 2 passages of 6,000 characters or more" in note for note in texts.notes)


def test_a_folder_of_texts_is_not_a_data_set(tmp_path, offline):
    (tmp_path / "tale.txt").write_text("A crane came.\nIt rained.\n", encoding="utf-8")
    with pytest.raises(ReadingError, match="without hub="):
        read_data_set(str(tmp_path))
    assert not offline.are_progress_bars_disabled()
    write(tmp_path, ROWS)  # a text beside a table may be its licence
    assert len(read(str(tmp_path))) == 2


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("train.csv", ["text,title", ""], "this data set has no rows"),
        ("train.jsonl", [{"a": "A crane came.", "b": "It rained."}], "It has: a, b"),
        ("train.jsonl", [{"text": " "}], "no text in its column"),
        ("train.jsonl", ['{"text": "A crane came."}', "{broken"], "this data set cannot be read"),
    ],
)
def test_unusable_data_sets_are_refused(tmp_path, name, rows, message):
    with pytest.raises(ReadingError, match=message):
        read_data_set(write(tmp_path / "tales", rows, name))


CONFIGURATIONS = """---
configs:
- config_name: wells
  data_files: wells.jsonl
- config_name: barns
  data_files: barns.jsonl
---
"""


def test_a_configuration_can_be_chosen(tmp_path):
    folder = write(tmp_path / "tales", [{"text": "A crane came.", "by": "Ada"}], "wells.jsonl")
    write(tmp_path / "tales", [{"text": "It rained.", "by": "Bea"}], "barns.jsonl")
    (tmp_path / "tales" / "README.md").write_text(CONFIGURATIONS)
    texts = read_data_set(f"{folder}@barns")
    assert [(story.name, story.text) for story in texts.stories] == [(f"{folder}@barns: 1", "It rained.")]
    assert texts.notes[0].startswith(f"{folder}@barns: read the part")
    assert read(f"{folder}@wells:by") == ["Ada"]
    with pytest.raises(ReadingError, match=r"'wells', 'barns'.*hub=.*@configuration"):
        read_data_set(folder)


@pytest.mark.parametrize(
    "lines",
    [
        ["text,title", ",Well", "A crane came.,Barn", "It rained.,Hill"],  # the first cell is empty
        ["year,story", "1812,A crane came.", "1815,It rained."],
    ],
)
def test_columns_of_text_are_found_without_declared_types(tmp_path, lines):
    folder = write(tmp_path / "tales", lines, "train.csv")
    assert read(folder) == ["A crane came.", "It rained."]
    if lines[0].startswith("year"):
        with pytest.raises(UnknownNameError, match="year"):
            read_data_set(f"{folder}:year")


def test_a_huge_data_set_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "LARGEST", 20)
    texts = read_data_set(write(tmp_path / "tales", [{"text": "A crane came."}] * 5))
    assert len(texts.stories) == 2
    assert "only the first 2 rows" in texts.notes[-1]


def test_missing_data_sets_names_and_packages(monkeypatch):
    with pytest.raises(ReadingError, match="cannot be read"):
        read_data_set("nobody/no-such-tales")
    with pytest.raises(BarthesError, match="no name"):
        read_data_set(":text")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(BarthesError, match="pip install datasets"):
        read_data_set("tales")
