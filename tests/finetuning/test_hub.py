"""Data sets in local folders are read by the same call as those on the hub."""

import json
import sys

import pytest

from barthes.errors import BarthesError, ReadingError, UnknownNameError
from barthes.finetuning import hub
from barthes.finetuning.hub import read_data_set

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
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(folder)


def test_rows_are_stories(tmp_path):
    texts = read_data_set(write(tmp_path / "tales", ROWS))
    assert [story.text for story in texts.stories] == ["A crane came.", "It rained."]
    assert [story.name.rpartition(": ")[2] for story in texts.stories] == ["1", "3"]
    assert "1 rows were left out" in texts.skipped[0]
    assert "'train'" in texts.notes[0]
    assert "'text'" in texts.notes[0]


def test_a_column_can_be_named(tmp_path):
    texts = read_data_set(write(tmp_path / "tales", ROWS) + ":title")
    assert [story.text for story in texts.stories] == ["Well", "Barn", "Hill"]


def test_rows_that_are_sentences_are_joined_into_passages(tmp_path):
    rows = [{"text": f"The crane number {n:03} came to the well and drank of it ."} for n in range(200)]
    rows.insert(3, {"text": ""})
    texts = read_data_set(write(tmp_path / "books", rows))
    named = [story.name.rpartition(": ")[2] for story in texts.stories]
    assert named == ["1 to 111", "112 to 201"]
    assert len({story.stretch for story in texts.stories}) == 2
    told = " ".join(story.text for story in texts.stories)
    assert told == " ".join(row["text"] for row in rows if row["text"])
    assert any("6,000 characters or more (2 in all)" in note for note in texts.notes)


def test_short_stories_are_not_joined(tmp_path):
    rows = [{"text": f"{number} " + "The crane came to the well and drank . " * 5} for number in range(200)]
    assert len(read_data_set(write(tmp_path / "tales", rows)).stories) == 200


def test_stories_in_writing_without_spaces_are_not_joined(tmp_path):
    rows = [{"text": f"{number}" + "从前有一只鹤来到井边喝水。" * 20} for number in range(60)]
    assert len(read_data_set(write(tmp_path / "tales", rows)).stories) == 60


def test_a_folder_of_texts_is_no_data_set(tmp_path, offline):
    (tmp_path / "tale.txt").write_text("A crane came.\nIt rained.\n", encoding="utf-8")
    with pytest.raises(ReadingError, match="without hub="):
        read_data_set(str(tmp_path))
    assert not offline.are_progress_bars_disabled()
    write(tmp_path, ROWS)  # a text beside a table may be its licence
    assert len(read_data_set(str(tmp_path)).stories) == 2


def test_a_saved_data_set(tmp_path, offline):
    offline.Dataset.from_list([{"story": "A crane came."}]).save_to_disk(str(tmp_path / "saved"))
    assert read_data_set(str(tmp_path / "saved")).stories[0].text == "A crane came."
    with pytest.raises(ReadingError, match="has no configurations"):
        read_data_set(f"{tmp_path / 'saved'}@wells")


def test_an_empty_data_set(tmp_path):
    (tmp_path / "tales").mkdir()
    (tmp_path / "tales" / "train.csv").write_text("text,title\n")
    with pytest.raises(ReadingError, match="this data set has no rows"):
        read_data_set(str(tmp_path / "tales"))


def test_no_such_column(tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean 'title'"):
        read_data_set(write(tmp_path / "tales", ROWS) + ":titel")


def test_which_column(tmp_path):
    folder = write(tmp_path / "tales", [{"a": "A crane came.", "b": "It rained."}])
    with pytest.raises(ReadingError, match="It has: a, b"):
        read_data_set(folder)


def test_nothing_in_it(tmp_path):
    with pytest.raises(ReadingError, match="no text in its column"):
        read_data_set(write(tmp_path / "tales", [{"text": " "}]))


CONFIGURATIONS = """---
configs:
- config_name: wells
  data_files: wells.jsonl
- config_name: barns
  data_files: barns.jsonl
---
"""


def test_a_configuration_can_be_named(tmp_path):
    folder = write(tmp_path / "tales", [{"text": "A crane came.", "by": "Ada"}], "wells.jsonl")
    write(tmp_path / "tales", [{"text": "It rained.", "by": "Bea"}], "barns.jsonl")
    (tmp_path / "tales" / "README.md").write_text(CONFIGURATIONS)
    assert [story.text for story in read_data_set(f"{folder}@barns").stories] == ["It rained."]
    assert [story.text for story in read_data_set(f"{folder}@wells:by").stories] == ["Ada"]
    with pytest.raises(ReadingError, match=r"'wells', 'barns'.*hub=.*@configuration"):
        read_data_set(folder)


def test_the_configuration_is_written_down(tmp_path):
    folder = write(tmp_path / "tales", [{"text": "It rained."}], "barns.jsonl")
    write(tmp_path / "tales", [{"text": "A crane came."}], "wells.jsonl")
    (tmp_path / "tales" / "README.md").write_text(CONFIGURATIONS)
    texts = read_data_set(f"{folder}@barns")
    assert texts.stories[0].name == f"{folder}@barns: 1"
    assert texts.notes[0].startswith(f"{folder}@barns: the part")


def test_signs_in_the_path_of_a_folder_belong_to_it(tmp_path):
    folder = write(tmp_path / "a@b:c", ROWS)
    assert len(read_data_set(folder).stories) == 2
    assert read_data_set(f"{folder}:title").stories[0].text == "Well"
    with pytest.raises(ReadingError, match="'nosuch' not found"):
        read_data_set(f"{folder}@nosuch")
    with pytest.raises(ReadingError, match="'nosuch' not found"):
        read_data_set(f"{folder}@nosuch:title")


def test_cells_that_are_empty_in_the_first_row(tmp_path):
    (tmp_path / "tales").mkdir()
    (tmp_path / "tales" / "train.csv").write_text("text,title\n,Well\nA crane came.,Barn\nIt rained.,Hill\n")
    texts = read_data_set(str(tmp_path / "tales"))
    assert [story.text for story in texts.stories] == ["A crane came.", "It rained."]
    assert "1 rows were left out" in texts.skipped[0]


def test_columns_of_numbers_are_no_text(tmp_path):
    (tmp_path / "tales").mkdir()
    (tmp_path / "tales" / "train.csv").write_text("year,story\n1812,A crane came.\n1815,It rained.\n")
    assert len(read_data_set(str(tmp_path / "tales")).stories) == 2
    with pytest.raises(UnknownNameError, match="year"):
        read_data_set(str(tmp_path / "tales") + ":year")


def test_no_such_data_set():
    with pytest.raises(ReadingError, match="cannot be read"):
        read_data_set("nobody/no-such-tales")


def test_a_row_that_cannot_be_read_is_explained(tmp_path):
    write(tmp_path / "tales", [{"text": "A crane came."}])
    with (tmp_path / "tales" / "train.jsonl").open("a") as file:
        file.write("\n{broken")
    with pytest.raises(ReadingError, match="this data set cannot be read"):
        read_data_set(str(tmp_path / "tales"))


def test_code_that_comes_with_a_data_set_is_not_run(tmp_path):
    folder = tmp_path / "tales"
    folder.mkdir()
    (folder / "tales.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(ReadingError):
        read_data_set(str(folder))
    assert not (tmp_path / "ran").exists()


def test_a_huge_data_set_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "LARGEST", 20)
    texts = read_data_set(write(tmp_path / "tales", [{"text": "A crane came."}] * 5))
    assert len(texts.stories) == 2
    assert "only the first 2 rows" in texts.notes[-1]


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(BarthesError, match=r"barthes\[hub\]"):
        read_data_set("tales")


def test_no_name():
    with pytest.raises(BarthesError, match="no name"):
        read_data_set(":text")
