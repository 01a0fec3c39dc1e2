"""Read stories from files, folders, corpora and data sets."""

from pathlib import Path

import pytest

from barthes.errors import BarthesError, NarrativeError, ReadingError, UnknownNameError
from barthes_research.corpora import ProppLearner
from barthes_research.finetuning.texts import gather_texts
from tests.reading.conversion import make_docx, make_html, make_pdf, make_tei
from tests.reading.tales import GOOSE, KING, WELL, join

CRANE = Path(__file__).parents[1] / "corpora" / "data" / "crane1.sty"
BOOK = join(
    "CONTENTS\n\n The Well   1\n The Goose and the Hedgehog  4\n The King Without a Country  9",
    f"THE WELL\n\n{WELL}",
    f"THE GOOSE AND THE HEDGEHOG\n\n{GOOSE}",
    f"THE KING WITHOUT A COUNTRY\n\n{KING}",
)
PNG = b"\x89PNG\r\n\x00"


def names(texts):
    return [story.name for story in texts.stories]


@pytest.fixture
def folder(tmp_path):
    tales = tmp_path / "tales"
    (tales / "more").mkdir(parents=True)
    (tales / "book.txt").write_text(BOOK, encoding="utf-8")
    (tales / "more" / "mill.TXT").write_text("A mill stood by the sea and ground salt.", encoding="utf-8")
    return tales


@pytest.mark.parametrize("name", ["well.text", "a=b.txt"])
def test_a_file_is_a_story(tmp_path, name):
    (tmp_path / name).write_text(WELL, encoding="utf-8")
    texts = gather_texts([str(tmp_path / name)])
    stories = [(story.name, story.text.split()) for story in texts.stories]
    assert stories == [(name.rpartition(".")[0], WELL.split())]
    assert texts.notes == ()


def test_a_folder_is_read_recursively_and_a_book_is_divided_into_tales(folder):
    texts = gather_texts([str(folder)])
    book = ["book: THE WELL", "book: THE GOOSE AND THE HEDGEHOG", "book: THE KING WITHOUT A COUNTRY"]
    assert names(texts) == [*book, "mill"]
    twice = gather_texts([str(folder), str(folder / "book.txt")])
    assert twice.stories == texts.stories
    assert sum("was left out" in note for note in twice.notes) >= 3


def test_unreadable_files_in_a_folder_are_skipped_with_a_note(folder):
    (folder / "cover.png").write_bytes(PNG)
    (folder / "README.md").write_text(WELL, encoding="utf-8")
    (folder / "broken.txt").write_bytes(b"\x00\x01\x02" * 50)
    (folder / "paper.txt").write_bytes(b"%PDF-1.7 and so on")
    (folder / "empty.txt").write_text(" \n\n")
    texts = gather_texts([str(folder)])
    assert len(texts.stories) == 4
    skipped = [note.partition(": ")[0] for note in texts.notes if note.startswith("skipped")]
    assert skipped == ["skipped broken.txt", "skipped empty.txt", "skipped paper.txt"]


def test_every_format_is_read(tmp_path):
    made = {"a.html": make_html(), "b.docx": make_docx(), "c.pdf": make_pdf(), "d.xml": make_tei()}
    for name, document in made.items():
        (tmp_path / name).write_bytes(document.data)
        assert gather_texts([str(tmp_path / name)]).stories
    (tmp_path / "e.pdf").write_bytes(b"%PDF-1.7 and so on")
    (tmp_path / "f.html").write_text("<p> </p>")
    texts = gather_texts([str(tmp_path)])
    skipped = [note.partition(":")[0] for note in texts.notes if note.startswith("skipped")]
    assert skipped == ["skipped e.pdf", "skipped f.html"]
    with pytest.raises((ReadingError, NarrativeError)):
        gather_texts([str(tmp_path / "f.html")])


def test_a_folder_without_stories_is_refused(tmp_path):
    (tmp_path / "cover.png").write_bytes(PNG)
    with pytest.raises(ReadingError, match="no story in this folder"):
        gather_texts([str(tmp_path)])
    (tmp_path / "tale.txt").write_bytes(bytes(range(256)) * 20)  # a story file by its ending
    with pytest.raises(ReadingError, match=r"no story is left to train on \(skipped tale\.txt: "):
        gather_texts([str(tmp_path)])


def test_a_given_file_must_be_readable(tmp_path):
    (tmp_path / "cover.png").write_bytes(PNG)
    (tmp_path / "empty.txt").write_text("\n")
    reasons = {"no.txt": "no such file", "cover.png": "not text", "empty.txt": "no story in it"}
    for name, reason in reasons.items():
        with pytest.raises(ReadingError, match=reason):
            gather_texts([str(tmp_path / name)])


def test_invalid_sources_are_refused(folder):
    with pytest.raises(BarthesError, match="nothing to train on"):
        gather_texts([])
    with pytest.raises(BarthesError, match="only ProppLearner has its own tokens"):
        gather_texts([str(folder)], tokens=True)
    with pytest.raises(UnknownNameError, match="Did you mean 'propplearner'"):
        gather_texts(["proplearner=tales"])


def test_equal_names_are_numbered(tmp_path):
    for name, text in (("a", WELL), ("b", GOOSE), ("c", KING)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tale.txt").write_text(text, encoding="utf-8")
    assert names(gather_texts([str(tmp_path)])) == ["tale", "tale (2)", "tale (3)"]


def test_propplearner_is_read_as_for_scoring_or_as_tokens():
    tale = ProppLearner(CRANE).tales[0]
    (natural,) = gather_texts([f"propplearner={CRANE}"]).stories
    (tokens,) = gather_texts([f"propplearner={CRANE}"], tokens=True).stories
    assert natural.text == " ".join(map(str, tale.narrative))
    assert tokens.text == tale.token_narrative.text != natural.text
    assert natural.name.startswith(tale.name)
