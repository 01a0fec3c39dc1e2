"""Files, folders, corpora and data sets become stories; what is none is listed."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from barthes.corpora import ProppLearner
from barthes.errors import BarthesError, NarrativeError, ReadingError, UnknownNameError
from barthes.finetuning.texts import gather_texts
from tests.reading.conversion import make_docx, make_html, make_pdf, make_tei
from tests.reading.test_epub import bind
from tests.reading.test_tale_books import BOOK, GOOSE, KING, WELL, told

CRANE = Path(__file__).parents[1] / "corpora" / "data" / "crane1.sty"


@pytest.fixture
def folder(tmp_path):
    tales = tmp_path / "tales"
    (tales / "more").mkdir(parents=True)
    (tales / "book.txt").write_text(BOOK, encoding="utf-8")
    (tales / "more" / "mill.TXT").write_text("A mill stood by the sea and ground salt.", encoding="utf-8")
    return tales


def test_a_file_is_a_story(tmp_path):
    path = tmp_path / "well.text"
    path.write_text(WELL, encoding="utf-8")
    texts = gather_texts([str(path)])
    assert [(story.name, told(story.text)) for story in texts.stories] == [("well", told(WELL))]
    assert (texts.skipped, texts.notes) == ((), ())


def test_a_folder_gives_all_below_it_and_a_book_its_tales(folder):
    texts = gather_texts([str(folder)])
    assert [story.name for story in texts.stories] == [
        "book: THE WELL",
        "book: THE GOOSE AND THE HEDGEHOG",
        "book: THE KING WITHOUT A COUNTRY",
        "mill",
    ]
    assert texts.skipped == ()


def test_what_is_no_text_is_skipped_and_listed(folder):
    (folder / "cover.png").write_bytes(b"\x89PNG\r\n")
    (folder / "broken.txt").write_bytes(b"\x00\x01\x02" * 50)
    (folder / "paper.txt").write_bytes(b"%PDF-1.7 and so on")
    (folder / "empty.txt").write_text(" \n\n")
    (folder / ".hidden.txt").write_text("Not seen.")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.txt")
    texts = gather_texts([str(folder)])
    assert len(texts.stories) == 4
    reasons = dict(line.split(": ", 1) for line in texts.skipped)
    assert "ending" in reasons.pop("cover.png")
    assert "null" in reasons.pop("broken.txt")
    assert "PDF" in reasons.pop("paper.txt")
    assert "no story" in reasons.pop("empty.txt")
    assert set(reasons) <= {"pipe.txt"}


def test_files_about_a_folder_are_no_stories(folder):
    (folder / "README.md").write_text(WELL, encoding="utf-8")
    texts = gather_texts([str(folder)])
    assert len(texts.stories) == 4
    assert texts.skipped == ("README.md: it is about the folder, and no story.",)


def make_book(titles):
    """An EPUB of these chapters, a tale in each."""
    tales = [WELL, GOOSE, KING]
    pages = {
        f"{number}.xhtml": f"<h1>{title}</h1><p>{text}</p>"
        for number, (title, text) in enumerate(zip(titles, tales, strict=False))
    }
    return bind(pages)


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (("Preface", "The Goose", "3. The King"), ["book: The Goose", "book: The King"]),
        (("Chapter 1", "Chapter 2", "Chapter 3"), ["book"]),
    ],
)
def test_a_book_in_another_format_gives_its_tales_or_is_one_story(tmp_path, titles, names):
    (tmp_path / "book.epub").write_bytes(make_book(titles))
    texts = gather_texts([str(tmp_path)])
    assert [story.name for story in texts.stories] == names
    found = told(" ".join(story.text for story in texts.stories))
    assert found == told(
        " ".join((WELL, GOOSE, KING)[-len(names) :] if len(names) > 1 else (WELL, GOOSE, KING))
    )
    assert texts.skipped == ()


def test_every_format_is_read(tmp_path):
    made = {"a.html": make_html(), "b.docx": make_docx(), "c.pdf": make_pdf(), "d.xml": make_tei()}
    for name, document in made.items():
        (tmp_path / name).write_bytes(document.data)
    (tmp_path / "e.pdf").write_bytes(b"%PDF-1.7 and so on")
    (tmp_path / "f.html").write_text("<p> </p>")
    for name in made:
        assert gather_texts([str(tmp_path / name)]).stories
    texts = gather_texts([str(tmp_path)])
    assert sorted(line.partition(":")[0] for line in texts.skipped) == ["e.pdf", "f.html"]
    with pytest.raises((ReadingError, NarrativeError)):
        gather_texts([str(tmp_path / "f.html")])


def test_nothing_left_is_an_error_that_says_why(tmp_path):
    (tmp_path / "cover.png").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(ReadingError, match=r"no story is left.*cover\.png.*\*\.txt"):
        gather_texts([str(tmp_path)])
    (tmp_path / "tale.txt").write_bytes(bytes(range(256)) * 20)  # whose ending is right
    with pytest.raises(ReadingError, match=r"no story is left to train on \(tale\.txt: "):
        gather_texts([str(tmp_path)])


def test_a_file_that_is_named_must_be_readable(tmp_path):
    with pytest.raises(ReadingError, match="no such file"):
        gather_texts([str(tmp_path / "no.txt")])
    (tmp_path / "cover.png").write_bytes(b"\x89PNG\x00\x00\x00")
    with pytest.raises(ReadingError, match="not text"):
        gather_texts([str(tmp_path / "cover.png")])
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(ReadingError, match="no story in it"):
        gather_texts([str(tmp_path / "empty.txt")])


def test_no_source():
    with pytest.raises(BarthesError, match="nothing to train on"):
        gather_texts([])


def test_an_encoding_that_was_guessed_is_noted(tmp_path):
    (tmp_path / "old.txt").write_bytes("Ein Märchen von der Mühle.".encode("cp1252"))
    texts = gather_texts([str(tmp_path)])
    assert texts.stories[0].text == "Ein Märchen von der Mühle."
    assert texts.notes[0].startswith("old.txt: Read as Windows-1252")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KING.encode())))
    assert gather_texts(["-"]).stories[0].name == "stdin"


def test_a_repeated_source_counts_once(folder):
    once, twice = gather_texts([str(folder)]), gather_texts([str(folder), str(folder / "book.txt")])
    assert twice.stories == once.stories
    assert sum("was left out" in note for note in twice.notes) == 3


def test_equal_names_are_told_apart(tmp_path):
    for name, text in (("a", WELL), ("b", GOOSE)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tale.txt").write_text(text, encoding="utf-8")
    assert [story.name for story in gather_texts([str(tmp_path)]).stories] == ["tale", "tale (2)"]


def test_propplearner_as_it_is_scored_and_as_its_tokens():
    tale = ProppLearner(CRANE).tales[0]
    (natural,) = gather_texts([f"propplearner={CRANE}"]).stories
    (tokens,) = gather_texts([f"propplearner={CRANE}"], tokens=True).stories
    assert natural.text == " ".join(map(str, tale.narrative))
    assert tokens.text == tale.token_narrative.text != natural.text
    assert natural.name.startswith(tale.name)


def test_a_labelled_file(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("story\tsentence\tlabel\na\tIt rained.\t0\na\tThe wolf came.\t1\n", encoding="utf-8")
    texts = gather_texts([f"labelled={path}"])
    assert [(story.name, story.text) for story in texts.stories] == [("a", "It rained. The wolf came.")]
    assert "without their labels" in texts.notes[0]


def test_tokens_are_propplearners(folder):
    with pytest.raises(BarthesError, match="only ProppLearner has tokens"):
        gather_texts([str(folder)], tokens=True)


def test_an_unknown_kind():
    with pytest.raises(UnknownNameError, match="Did you mean 'propplearner'"):
        gather_texts(["proplearner=tales"])


def test_a_path_with_an_equals_sign(tmp_path):
    path = tmp_path / "a=b.txt"
    path.write_text(WELL, encoding="utf-8")
    assert gather_texts([str(path)]).stories[0].name == "a=b"


def test_a_data_set(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets", reason="the extra 'hub' is not installed")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "train.jsonl").write_text(
        json.dumps({"story": KING, "id": 3}) + "\n", encoding="utf-8"
    )
    texts = gather_texts([f"hub={tmp_path / 'set'}:story"])
    assert [story.text for story in texts.stories] == [KING]
