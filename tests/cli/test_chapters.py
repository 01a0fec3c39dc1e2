"""Books on the command line: formats, chapters, and what is said about what was left out."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from barthes.cli.score import score_cli
from barthes.cli.show import show_cli
from barthes.errors import ReadingError
from tests.reading.conversion import MAKERS, make_docx, make_epub


def run(command, *arguments):
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.epub"
    path.write_bytes(make_epub().data)
    return path


def test_one_chapter(book):
    result = run(score_cli, book, "--chapter", 2, "--method", "length", "--format", "json")
    found = json.loads(result.stdout)
    assert found["story"] == f"{book}: The Bell"
    assert found["notes"] == ["Left out: 1 footnote, 1 table of contents, 1 title page."]


def test_all_chapters_each_for_itself(book, tmp_path):
    out = tmp_path / "out.json"
    assert run(score_cli, book, "--chapters", "--method", "length", "--out", out).exit_code == 0
    stories = json.loads(out.read_text(encoding="utf-8"))
    assert [story["story"] for story in stories] == [
        f"{book}: The {name}" for name in ("Coin", "Bell", "Change")
    ]


def test_all_chapters_of_a_story_without_any_are_a_list_too(tmp_path):
    path = tmp_path / "tale.txt"
    path.write_text("A wolf came. It rained.")
    result = run(score_cli, path, "--chapters", "--method", "length", "--format", "json")
    assert [story["story"] for story in json.loads(result.stdout)] == [str(path)]


def test_one_and_all_do_not_go_together(book):
    result = run(score_cli, book, "--chapter", 1, "--chapters", "--method", "length")
    assert result.exit_code == 2
    assert "--chapters is all of them, --chapter one" in result.stderr


def test_a_chapter_that_is_not_there_is_complained_about_and_the_others_scored(book, tmp_path):
    tale = tmp_path / "tale.docx"
    tale.write_bytes(make_docx().data)
    path = tmp_path / "short.txt"
    path.write_text("A wolf came.")
    result = run(score_cli, path, tale, "--chapter", 3, "--method", "length", "--format", "jsonl")
    assert result.exit_code == 2
    assert "short.txt: there is no chapter 3: it has no chapters." in result.stderr
    assert [json.loads(line)["story"] for line in result.stdout.splitlines()] == [f"{tale}: The Change"]


def test_a_folder_of_every_format(tmp_path):
    for make in MAKERS.values():
        made = make()
        (tmp_path / made.name).write_bytes(made.data)
    result = run(score_cli, tmp_path, "--sentences", "--method", "length", "--format", "jsonl")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == len(MAKERS)


def test_the_language_of_a_file_is_remarked(tmp_path):
    path = tmp_path / "tale.html"
    path.write_text('<html lang="de"><body><p>Der Wolf kam. Es regnete.</p></body></html>')
    result = run(score_cli, path, "--method", "length", "--format", "jsonl")
    assert (result.exit_code, result.stderr) == (0, "")


def test_show_reads_chapters_too(book):
    found = json.loads(run(show_cli, book, "--chapter", 2, "--sentences", "--format", "json").stdout)
    assert found["story"] == f"{book}: The Bell"
    assert len(found["sentences"]) == 2
    with pytest.raises(ReadingError, match="there is no chapter 9"):
        run(show_cli, book, "--chapter", 9)
