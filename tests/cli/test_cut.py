"""`barthes cut`: the shortened text, the list, the page, and what is refused."""

from __future__ import annotations

import json

import pytest

from tests.cli.commands import check_refused, run
from tests.reading.scrivener_projects import Item, make_project, write_project

TEXT = (
    "The wolf came and ate a sheep. The king slept. Then the girl ran.\n\n"
    "A sheep died and the king came. Rained and rained. The girl married the king.\n"
)


@pytest.fixture
def story(tmp_path):
    path = tmp_path / "wolf.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def cut(story, tiny, *arguments, text=None):
    return run("cut", story, "--model", tiny, "--whole", *arguments, text=text)


def test_the_text_goes_to_stdout_and_the_cuts_to_stderr(story, tiny):
    code, out, err = cut(story, tiny, "--to", "70%")
    assert code == 0
    assert out.endswith("The girl married the king.\n")
    assert len(out.split()) <= 0.7 * len(TEXT.split())
    assert "missed by" in err
    assert "words are left" in err
    assert story.read_text(encoding="utf-8") == TEXT
    assert cut("-", tiny, "--to", "70 %", text=TEXT)[:2] == (0, out)


def test_files_are_written(story, tiny, tmp_path):
    short, listed, page = tmp_path / "short.txt", tmp_path / "cuts.json", tmp_path / "cuts.html"
    code, out, _ = cut(story, tiny, "--to", 18, "-o", short, "--list", listed, "--html", page)
    assert (code, out) == (0, "")
    plain = json.loads(listed.read_text(encoding="utf-8"))
    assert plain["text"] == short.read_text(encoding="utf-8")
    assert plain["words"] <= 18 == plain["target"]
    assert "Shortened" in page.read_text(encoding="utf-8")
    rows = tmp_path / "cuts.tsv"
    cut(story, tiny, "--to", 18, "--list", rows)
    assert len(rows.read_text(encoding="utf-8").splitlines()) == 1 + len(plain["cuts"])


def test_numbers_and_marks_protect_sentences(story, tiny, tmp_path):
    listed = tmp_path / "cuts.json"
    cut(story, tiny, "--to", "80%", "--protect", "1-2,4", "--list", listed)
    plain = json.loads(listed.read_text(encoding="utf-8"))
    assert plain["protected"] == [0, 1, 3]
    assert {each["index"] for each in plain["cuts"]} <= {2, 4}
    marked = tmp_path / "marked.txt"
    marked.write_text(TEXT.replace("The king slept.", "[[keep]]The king slept.[[/keep]]"), encoding="utf-8")
    _, out, _ = cut(marked, tiny, "--to", "40%")
    assert "The king slept." in out
    assert "[[" not in out
    scores = [run("score", path, "--method", "length", "--format", "tsv") for path in (story, marked)]
    assert scores[1][1].replace("marked.txt", story.name) == scores[0][1], "marks change no number"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing option '--to'"),
        (["--to", "0.9"], "takes a percentage such as 90%"),
        (["--to", "100%"], "between 0 and 100 % (--to)."),
        (["--to", "300%"], ".txt: 300 % of the words cannot be kept."),
        (["--to", "29000"], "words (--to)."),
        (["--to", "50%", "--protect", "1-6"], "a longer target (--protect)."),
        (["--to", "50%", "--protect", "7"], "there is no sentence 7 to keep; the story has 6"),
        (["--to", "50%", "--protect", "two"], "for example 12-15,20"),
        (["--to", "50%", "--list", "cuts.doc"], "--list writes a .tsv, .csv or .json file"),
        (["--to", "50%", "--out", "a.docx"], "--out writes plain text, not DOCX: try .txt"),
        (["--to", "50%", "--out", "a.md"], "--out writes plain text, not Markdown: try .txt"),
        (["--to", "50%", "--out", "a.txt", "--html", "a.txt"], "--out and --html need different files"),
    ],
)
def test_wrong_options_are_refused(story, arguments, message):
    check_refused(["cut", story, *arguments], message)


@pytest.mark.parametrize("option", ["--out", "--html"])
def test_the_story_is_never_overwritten(story, option):
    check_refused(["cut", story, "--to", "50%", option, story], f"Choose another file for {option}")
    assert story.read_text(encoding="utf-8") == TEXT


BLOCK = "A wolf came. It ate a sheep. The king slept. The girl ran home."
NO_HEADINGS = "Title: The Mill\n\nThe wolf comes. It is dark.\n\nANNA\nWho is it?\n\nBEN\nThe wolf.\n"


@pytest.mark.parametrize(
    ("name", "text", "unit", "message"),
    [
        (
            "block.txt",
            BLOCK,
            "paragraph",
            "it has no paragraphs: it is one block of text. Choose sentences, or",
        ),
        ("block.txt", BLOCK, "scene", "it has no scenes: it is too short for more than one"),
        ("mill.fountain", NO_HEADINGS, "scene", "it has no scenes"),
        ("mill.fountain", NO_HEADINGS, "chapter", "it has no chapters: no headings were found"),
    ],
)
def test_texts_without_such_units_are_refused(tmp_path, name, text, unit, message):
    path, out, page = tmp_path / name, tmp_path / f"out.{name.split('.')[1]}", tmp_path / "cuts.html"
    path.write_text(text, encoding="utf-8")
    out.write_text("older", encoding="utf-8")
    arguments = ["cut", path, "--to", "80%", "--unit", unit, "-o", out, "--html", page]
    check_refused(arguments, message)
    check_refused(arguments, "another unit (--unit).")
    assert (path.read_text(encoding="utf-8"), out.read_text(encoding="utf-8")) == (text, "older")
    assert not page.exists()


def test_a_scrivener_project_that_is_half_synchronized(tmp_path, tiny):
    """What is there is cut, and a note names what is missing; the project stays as it is."""
    members = make_project(Item("One", text=TEXT.replace("\n", r"\par ")), Item("Two"))
    folder = write_project(tmp_path, members)
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, out, err = cut(folder, tiny, "--to", "70%")
    assert code == 0
    assert out.strip().endswith("The girl married the king.")
    assert "it is not synchronized yet: “Two”" in " ".join(err.split())
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == files
    check_refused(["cut", folder, "--to", "70%", "-o", folder / "short.txt"], "is inside the story")


MARKDOWN = """# The Wolf

by Jane Doe

## One

The wolf came and ate a sheep. The king *slept*.

***

Then the girl ran.

### Later

A sheep died and the king came.

## Two

Rained and rained. The girl married the king.
"""


def test_headings_and_breaks_of_markdown_stay(tmp_path, tiny):
    path = tmp_path / "wolf.md"
    path.write_text(MARKDOWN, encoding="utf-8")
    code, out, err = cut(path, tiny, "--to", "95%", "--protect", "1-4,6")
    check_refused(
        ["cut", path, "--to", "95%", "--whole", "-o", tmp_path / "short.txt"],
        "writes Markdown, not plain text: try .md",
    )
    assert code == 0
    assert out == MARKDOWN.replace("Rained and rained. ", "").replace("*slept*", "slept")
    assert "written as Markdown" in err
    code, out, err = cut(path, tiny, "--to", "12", "--protect", "1")
    assert out == "# The Wolf\n\nby Jane Doe\n\n## One\n\nThe wolf came and ate a sheep.\n\n## Two\n\n" + (
        "The girl married the king.\n"
    )


def test_a_screenplay_stays_one(tmp_path, tiny):
    path, short, page = tmp_path / "wolf.fountain", tmp_path / "short.fountain", tmp_path / "cuts.html"
    script = "INT. MILL - NIGHT\n\nThe wolf comes.\n\nANNA\n(softly)\nWho is it?\n\nHe eats. He sleeps.\n"
    path.write_text(script, encoding="utf-8")
    code, _, err = cut(path, tiny, "--to", 7, "--protect", "1,3", "-o", short, "--html", page)
    assert code == 0
    assert short.read_text(encoding="utf-8") == script.replace("ANNA\n(softly)\nWho is it?\n\n", "")
    assert "written as Fountain" in err
    assert '"ending":"fountain"' in page.read_text(encoding="utf-8")
    markdown = tmp_path / "short.md"
    check_refused(["cut", path, "--to", 7, "-o", markdown], "writes Fountain, not Markdown: try .fountain")
    path.write_text("The wolf comes. It rains. He eats. He sleeps.\n", encoding="utf-8")
    assert "written as Fountain" in cut(path, tiny, "--to", 7, "-o", short)[2], "without speakers"
