"""`barthes score`: methods, inputs, chapters, formats, pages and what is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from pathlib import Path

import pandas as pd
import pytest
import typer
from lxml import etree

import barthes
from barthes.baselines.surface_cues import Length
from barthes.cli.console import ErrorCounter
from barthes.cli.score import ScoredStories, write_stories
from barthes.models.embedded import describe_weights
from barthes.narrative import Narrative
from barthes.report.tables import JSONL
from tests.cli.commands import check_refused, interrupt, run, start
from tests.reading.conversion import MAKERS, make_docx, make_epub
from tests.reading.scrivener_projects import Item, make_project, write_project
from tests.report.exports.test_tei import TEI

EXAMPLES = Path(__file__).parents[2] / "examples"
TALE = EXAMPLES / "the_ferrymans_daughter.txt"
TITLE_NOTE = f"barthes: note: {TALE}: Words not scored: 4 heading.\n"
CINDERELLA = EXAMPLES / "cinderella.txt"
TEXT = TALE.read_text(encoding="utf-8")
WOLF = "A wolf came over the hill. It rained. The goats hid in the clock."


def score(*arguments, text=None):
    """Score by length, as JSON Lines; give the exit code, the stories, and what is on stderr."""
    code, out, err = run("score", *arguments, "-m", "length", "-f", "jsonl", text=text)
    return code, [json.loads(line) for line in out.splitlines()], err


@pytest.fixture
def tale(tmp_path):
    path = tmp_path / "old_wolf.txt"
    path.write_text(WOLF, encoding="utf-8")
    return path


# Methods and models


def test_json_with_the_embedded_model():
    command = ["score", CINDERELLA, "--sentences", "--dtype", "float32", "--format", "json", "--influence"]
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    found = json.loads(out)
    rows, influence, importance = (found.pop(name) for name in ("sentences", "influence", "importance"))
    assert importance["method"] == "readers"
    assert found == {
        "story": str(CINDERELLA),
        "method": "sd",
        "model": "smollm2-135m",
        "precision": "float32",
        "weights": describe_weights("smollm2-135m"),
        "unit": "sentence",
        "window": None,
        "notes": [],
    }
    text = CINDERELLA.read_text(encoding="utf-8")
    assert all(text[row["start"] : row["end"]] == row["text"] for row in rows)
    assert [row["index"] for row in rows] == list(range(6))
    assert rows[4]["rank"] == 1
    assert sorted(row["importance"]["rank"] for row in rows) == [1, 2, 3, 4, 5, 6]
    assert len(influence) == 6
    assert influence[5][4] == pytest.approx(0.850, abs=1e-3)


def test_sums_and_previews(tiny):
    code, out, _ = run("score", TALE, "--model", tiny, "--method", "placed:centroid+similarity", "-f", "json")
    rows = json.loads(out)["sentences"]
    assert code == 0
    assert all(row["low"] <= row["salience"] <= row["high"] for row in rows)
    short = [
        json.loads(run("score", CINDERELLA, "--sentences", "--model", tiny, *more, "-f", "json")[1])
        for more in ([], ["--method", "preview", "--exact-top", "99"])
    ]
    assert [each["method"] for each in short] == ["sd", "preview"]
    exact, found = ([row["salience"] for row in each["sentences"]] for each in short)
    assert found == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("method", "option", "value"), [("length", "--model", "gpt2"), ("position", "--window", "64")]
)
def test_options_without_effect_are_noted(method, option, value):
    code, out, err = run("score", CINDERELLA, "--method", method, option, value, "--format", "json")
    assert (code, json.loads(out)["model"], json.loads(out)["window"]) == (0, None, None)
    assert f"note: {option} has no effect with {method}: " in err


def test_stories_whose_importance_is_unknown_have_a_note():
    code, _, err = run("score", CINDERELLA, "-m", "length", "--rank-by", "readers")
    assert (code, "ranked by salience" in err) == (0, True)


def test_only_the_cost_of_a_cut_is_shown_beside_the_importance_to_readers():
    code, out, _ = run("score", CINDERELLA, "-m", "pmi")
    assert (code, "readers" in out, "cost" in out) == (0, False, False)


def test_python_and_the_command_agree():
    _, out, _ = run("score", TALE, "--method", "tfidf", "--format", "json")
    profile = barthes.score(barthes.read(TALE), method="tfidf")
    assert [row["salience"] for row in json.loads(out)["sentences"]] == list(profile.scores)


def test_cached_scores_need_no_model(tmp_path, tiny, monkeypatch):
    story = tmp_path / "story.txt"
    story.write_text("The wolf came. A girl ran. The king slept and died. It rained!")
    command = ["score", story, "--model", tiny, "--format", "json", "--influence"]
    first = run(*command)
    assert first[0] == 0
    monkeypatch.setattr("barthes.models.loading.load_model", None)
    assert run(*command) == first
    with pytest.raises(TypeError):
        run(*command, "--no-cache")


# Inputs


def test_folders_files_and_names_given_twice(tmp_path):
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text("A wolf came. It rained.", encoding="utf-8")
    names = [tmp_path / "b.txt", tmp_path, tmp_path / "." / "a.txt", CINDERELLA]
    code, stories, err = score(*names)
    assert (code, err) == (0, "")
    assert [each["story"] for each in stories] == [
        str(tmp_path / "b.txt"),
        str(tmp_path / "a.txt"),
        str(CINDERELLA),
    ]


def test_standard_input_of_one_sentence(tiny):
    code, out, _ = run("score", "-", "--model", tiny, "--format", "json", text="A wolf came.")
    found = json.loads(out)
    assert (code, found["story"], found["sentences"][0]["text"]) == (0, "stdin", "A wolf came.")
    assert "end-of-text" in found["notes"][0]


def test_a_folder_of_every_format(tmp_path):
    for make in MAKERS.values():
        made = make()
        (tmp_path / made.name).write_bytes(made.data)
    code, stories, _ = score(tmp_path, "--sentences")
    assert (code, len(stories)) == (0, len(MAKERS))


def test_a_scrivener_project_is_a_story(tmp_path):
    novel = write_project(tmp_path, make_project(Item("One", text="It rained."), Item("Two")))
    for given in (novel, tmp_path):
        code, (story,), _ = score(given)
        assert (code, story["story"], len(story["sentences"])) == (0, str(novel), 1)
        assert "not synchronized yet: “Two”" in " ".join(story["notes"])


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "empty"), (b" \n\t ", "white space"), (b"\x00\x01\x02" * 100, "text")]
)
def test_bad_files_are_skipped(tmp_path, content, message):
    story, out = tmp_path / "story.txt", tmp_path / "out.jsonl"
    story.write_bytes(content)
    check_refused(["score", story, "-m", "length", "--out", out], message)
    assert not out.exists()
    code, stories, err = score(story, tmp_path / "nowhere.txt", CINDERELLA)
    assert (code, len(stories)) == (2, 1)
    assert "story.txt: " in err
    assert "nowhere.txt: there is no such file" in err


def test_other_encodings_are_noted(tmp_path):
    story = tmp_path / "cafe.txt"
    story.write_bytes("The café closed. She wept.".encode("cp1252"))
    _, [found], err = score(story)
    assert (found["sentences"][0]["text"], err) == ("The café closed.", "")
    assert "indows-1252" in found["notes"][0]
    _, out, err = run("score", story, "--method", "length", "--format", "tsv")
    assert "indows-1252" not in out
    assert err == f"barthes: note: {story}: {found['notes'][0]}\n"


def test_one_chapter_or_each(tmp_path):
    book, short, tale = tmp_path / "book.epub", tmp_path / "short.txt", tmp_path / "tale.docx"
    book.write_bytes(make_epub().data)
    short.write_text("A wolf came.")
    tale.write_bytes(make_docx().data)
    _, [found], _ = score(book, "--chapter", 2)
    assert found["story"] == f"{book}: The Bell"
    assert found["notes"] == ["Words of the whole file not scored: 7 contents, 13 heading, 8 note, 2 matter."]
    assert score(book, "--chapter", "bell")[1] == [found], "by words of its title"
    check_refused(["score", book, "--chapter", "the", "-m", "length"], "3 chapters have the words 'the'")
    titles = [each["story"] for each in score(book, "--chapters")[1]]
    assert titles == [f"{book}: The {name}" for name in ("Coin", "Bell", "Change")]
    code, stories, err = score(short, tale, "--chapter", 3)
    assert (code, [each["story"] for each in stories]) == (2, [f"{tale}: The Change"])
    assert "short.txt: there is no chapter 3: no chapters were found." in err
    _, out, _ = run("score", short, "--chapters", "--method", "length", "--format", "json")
    assert [each["story"] for each in json.loads(out)] == [str(short)], "a list, even of one"
    assert json.loads(out)[0]["notes"] == ["No chapters found; the whole file is one story."]


def test_a_collection_is_not_scored_as_one_story_unasked(tmp_path):
    book = tmp_path / "tales.md"
    book.write_text("# The Wolf\n\nA wolf came. It ate.\n\n# The Bell\n\nA bell rang.\n", encoding="utf-8")
    code, stories, err = score(book, CINDERELLA)
    assert (code, len(stories)) == (2, 1)
    assert "the file has 2 stories or chapters:\n  1  5 words  The Wolf\n  2  3 words  The Bell" in err
    assert "(--chapter, --whole)." in err
    listed = [
        "  1  5 words  The Wolf",
        "  2  3 words  The Bell",
        "",
        "33 % of the words are not scored: 4 heading.",
    ]
    assert run("chapters", book)[1].splitlines() == listed, "titles are not listed twice"
    [whole] = score(book, "--whole")[1]
    assert len(whole["sentences"]) == 3
    for command in (["show"], ["compare", book], ["cut", "--to", "50%"], ["plot", "-o", tmp_path / "x.svg"]):
        check_refused([*command, book], "the file has 2 stories or chapters")


def test_passages_are_skipped_by_number_or_by_marks(tmp_path):
    story = tmp_path / "tale.txt"
    story.write_text(
        "[[skip]]They say this. It is old.[[/skip]] A wolf came. It ate us all.", encoding="utf-8"
    )
    for more, numbers in ([], [1, 2]), (["--skip", "3"], [1, 2, 3]):
        rows = score(story, *more)[1][0]["sentences"]
        assert [row["index"] + 1 for row in rows if row.get("reason") == "skipped"] == numbers
        assert all((row["rank"] is None) == ("reason" in row) for row in rows)
    check_refused(["score", story, "--skip", "9", "-m", "length"], "there is no sentence 9")


# Formats


@pytest.mark.parametrize(("ending", "delimiter"), [("tsv", "\t"), ("csv", ",")])
def test_rows(tmp_path, ending, delimiter):
    out = tmp_path / f"result.{ending}"
    assert run("score", TALE, "--method", "tfidf+position", "--out", out) == (0, "", TITLE_NOTE)
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8")), delimiter=delimiter))
    assert len(rows) == 80
    columns = ["story", "number", "start", "end", "salience", "rank", "importance", "importance_rank"]
    assert list(rows[0]) == [*columns, "text", "low", "high", "stability", "kind", "speaker"]
    assert [row["number"] for row in rows[:2]] == ["1", "2"]
    for row in rows:
        assert " ".join(TEXT[int(row["start"]) : int(row["end"])].split()) == row["text"]


@pytest.mark.parametrize("name", ["out", "out.txt", "out.TXT", None])
def test_a_table_by_rank(tmp_path, name):
    more = [] if name is None else ["--out", tmp_path / name]
    code, out, err = run("score", TALE, "--method", "length", "--top", "3", *more)
    assert (code, err) == (0, "")
    shown = out if name is None else (tmp_path / name).read_text(encoding="utf-8")
    assert [line.split()[0] for line in shown.splitlines() if line[:4].strip().isdigit()] == ["1", "2", "3"]
    assert "█" in shown


def test_json_is_a_list_where_several_were_asked_for(tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"")
    code, out, _ = run("score", CINDERELLA, tmp_path, "--method", "length", "--format", "json")
    assert code == 2
    assert [found["story"] for found in json.loads(out)] == [str(CINDERELLA)]
    (tmp_path / "empty.txt").write_text("A wolf came.")
    code, out, _ = run("score", tmp_path, "--method", "length", "--format", "json")
    assert (code, json.loads(out)["story"]) == (0, str(tmp_path / "empty.txt"))


def test_tei(tmp_path):
    out = tmp_path / "tale.xml"
    assert run("score", TALE, "--method", "tfidf", "--out", out) == (0, "", "")
    root = etree.parse(out).getroot()
    assert "".join(root.find(f".//{TEI}body").itertext()) == TEXT
    code, shown, err = run("score", TALE, "--method", "length", "--format", "tei-standoff", "--top", "3")
    assert (code, err) == (0, "")
    root = etree.fromstring(shown.encode())
    assert len(root.findall(f".//{TEI}span")) == 3


def test_tokens_and_parquet(tmp_path):
    tokens, table = tmp_path / "tale.tokens", tmp_path / "tale.parquet"
    assert run("score", CINDERELLA, "--sentences", "--method", "length", "--out", tokens) == (0, "", "")
    assert tokens.read_text(encoding="utf-8").startswith("paragraph_ID\tsentence_ID\t")
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    assert run("score", TALE, CINDERELLA, "--method", "length", "--out", table) == (0, "", TITLE_NOTE)
    assert pd.read_parquet(io.BytesIO(table.read_bytes()))["story"].nunique() == 2


# Pages


def test_a_page_beside_the_table(tale, tmp_path):
    code, out, _ = run("score", tale, "--method", "length", "--html", tmp_path / "wolf.html")
    assert (code, "A wolf came over the hill." in out) == (0, True)
    page = (tmp_path / "wolf.html").read_text(encoding="utf-8")
    assert ">Old wolf</h1>" in page
    assert str(tmp_path) not in page


def test_pages_of_several_stories(tale, tmp_path):
    other = tmp_path / "more" / "old_wolf.txt"
    other.parent.mkdir()
    other.write_text("It snowed. A fox came.", encoding="utf-8")
    assert score(tale, other, "--html", f"{tmp_path}/pages/")[0] == 0
    assert sorted(p.name for p in (tmp_path / "pages").iterdir()) == ["old_wolf-2.html", "old_wolf.html"]
    check_refused(["score", tale, other, "-m", "length", "--html", tmp_path / "one.html"], "--html one/")
    assert not (tmp_path / "one.html").exists()


def test_a_page_never_overwrites_a_story(tmp_path):
    story = tmp_path / "old_wolf.html"
    story.write_text(f"<p>{WOLF}</p>", encoding="utf-8")
    check_refused(["score", story, "-m", "length", "--html", story], "one of the stories")
    assert score(story, "--html", f"{tmp_path}/")[0] == 0
    assert story.read_text(encoding="utf-8") == f"<p>{WOLF}</p>"
    assert "Old wolf" in (tmp_path / "old_wolf-2.html").read_text(encoding="utf-8")


def test_pages_have_the_titles_of_documents_and_chapters(tmp_path):
    book, page = tmp_path / "book.html", tmp_path / "page.html"
    body = "<h1>1. The Key</h1><p>A wolf came.</p><h1>2. The Bell</h1><p>It rang.</p>"
    book.write_text(f"<html><head><title>Wolf and/or Goat</title></head><body>{body}", encoding="utf-8")
    for more, title in (
        (["--whole"], "Wolf and/or Goat"),
        (["--chapter", 1], "Wolf and/or Goat: 1. The Key"),
    ):
        _, [found], _ = score(book, *more, "--html", page)
        assert f'<h1 dir="auto">{title}</h1>' in page.read_text(encoding="utf-8")
        assert found["story"].startswith(str(book))
    assert score(book, "--chapters", "--html", f"{tmp_path}/p/")[0] == 0
    assert sorted(path.stem[-11:] for path in (tmp_path / "p").iterdir()) == ["2._The_Bell", "_1._The_Key"]


# Refusals and interruptions


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "tfdif"], "Did you mean 'tfidf'"),
        (["--method", "sd+"], "there is no method ''"),
        (["--model", "./nowhere"], "no such folder"),
        (["--dtype", "float31"], "Did you mean 'float32'"),
        (["--language", "klingon", "-m", "length"], "language"),
        (["--out", "/nowhere/out.tsv"], "its folder does not exist. Create it: mkdir -p /nowhere"),
        (["--out", "/"], "is a folder. Give --out a file name."),
        (["--html", "/nowhere/x.html"], "its folder does not exist"),
        (["--influence"], "Choose json or jsonl, or omit the option (--influence)"),
        (["--influence", "--format", "json", "--unit", "event"], "omit --unit event"),
        (["--fromat", "json"], "--format"),
        (["--exact-top", "3"], "use --exact-top with --method preview"),
        (["--unit", "event", "-m", "length"], "not by length"),
        (["--format", "parquet"], "ends in .parquet (--out)"),
        (["--format", "json", "--out", "x.zip"], "booknlp, catma, tei"),
        (["--out", "x.zip"], "name the format (--format)"),
        (["--out", "x.doc"], "unknown file extension .doc. Use one of .csv, "),
        ([CINDERELLA, "-m", "length", "--format", "catma"], ".zip"),
    ],
    ids=str,
)
def test_wrong_arguments_are_explained(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_refused(["score", TALE, *arguments], message)
    assert list(tmp_path.iterdir()) == []


def test_the_format_may_differ_from_the_ending(tmp_path):
    out = tmp_path / "out.xlsx"
    assert run("score", CINDERELLA, "--method", "length", "--out", out, "--format", "csv") == (0, "", "")
    assert out.read_text().startswith("story,number")


def test_a_story_is_not_overwritten_by_its_scores(tale, tmp_path):
    check_refused(["score", tmp_path, "--method", "length", "--out", tale], "one of the stories")
    assert tale.read_text(encoding="utf-8") == WOLF


@pytest.mark.parametrize("patience", [5, 0.05])  # seconds until Ctrl-C is pressed again
def test_interruption_between_stories(tmp_path, tiny, patience):
    """SIGINT while the second, long story is being scored: the first has been written."""
    short, long = tmp_path / "a.txt", tmp_path / "z.txt"
    short.write_text("A wolf came. It rained.")
    long.write_text(" ".join(f"The wolf came to house number {i}." for i in range(4000)), encoding="utf-8")
    with start("score", short, long, "--model", tiny, "--format", "jsonl", "--no-cache") as process:
        first = process.stdout.readline()  # there once the first story is finished
        time.sleep(0.5)  # the line is out a moment before the story is counted
        rest, err = interrupt(process, patience=patience)
    assert (process.returncode, rest) == (130, b"")
    assert json.loads(first)["story"] == str(short)
    assert err.endswith(b"barthes: interrupted; 1 of 2 stories were finished and written.\n")


def test_interruption_before_the_first_story(tmp_path):
    """SIGINT while a story is awaited from a pipe."""
    story = tmp_path / "story.txt"
    os.mkfifo(story)
    with start("score", story, "--method", "length") as process, story.open("wb"):  # once it is read
        out, err = interrupt(process)
    assert (process.returncode, out) == (130, b"")
    assert err == b"barthes: interrupted; nothing was written.\n"


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (KeyboardInterrupt(), typer.Exit),
        (ZeroDivisionError(), ZeroDivisionError),
        (SystemExit(1), SystemExit),
    ],
)
def test_finished_stories_are_written_after_any_error(tmp_path, error, raised):
    out = tmp_path / "out.jsonl"
    stories = [Narrative.from_sentences(["One came.", "Two went."], title=title) for title in ("a", "b")]

    def score_or_fail(narrative):
        if narrative is stories[1]:
            raise error
        return Length().score(narrative)

    with pytest.raises(raised):
        write_stories(ScoredStories(stories, score_or_fail, ErrorCounter()), JSONL, out)
    assert [json.loads(line)["story"] for line in out.read_text(encoding="utf-8").splitlines()] == ["a"]
    assert list(tmp_path.iterdir()) == [out]
