from __future__ import annotations

import pytest
from typer.testing import CliRunner

from barthes.cli.main import app

TEXT = "A wolf came over the hill. It rained. The goats hid in the clock."


@pytest.fixture
def tale(tmp_path):
    path = tmp_path / "old_wolf.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_page_beside_the_table(tale, tmp_path):
    result = run("score", tale, "--method", "length", "--html", tmp_path / "wolf.html")
    assert result.exit_code == 0
    assert "A wolf came over the hill." in result.stdout
    page = (tmp_path / "wolf.html").read_text(encoding="utf-8")
    assert ">Old wolf</h1>" in page
    assert str(tmp_path) not in page


def test_several_stories_get_a_folder(tale, tmp_path):
    other = tmp_path / "more" / "old_wolf.txt"
    other.parent.mkdir()
    other.write_text("It snowed. A fox came.", encoding="utf-8")
    result = run("score", tale, other, "-m", "length", "--html", f"{tmp_path}/pages/")
    assert result.exit_code == 0
    assert sorted(p.name for p in (tmp_path / "pages").iterdir()) == ["old_wolf-2.html", "old_wolf.html"]
    result = run("score", tale, other, "-m", "length", "--html", tmp_path / "one.html")
    assert result.exit_code == 2
    assert "--html one/" in result.stderr
    assert not (tmp_path / "one.html").exists()


def test_a_place_that_cannot_be_written_is_said_before_the_work(tale, tmp_path):
    result = run("score", tale, "-m", "length", "--html", tmp_path / "nowhere" / "x.html")
    assert result.exit_code == 2
    assert "its folder does not exist" in result.stderr
    assert result.stdout == ""


def test_a_page_of_events(tale, tmp_path):
    from barthes import CountingModel, EventSalience, read

    story = read(tale)
    EventSalience(CountingModel([TEXT])).score(story).to_html(tmp_path / "events.html")
    assert 'data-unit-kind="event"' in (tmp_path / "events.html").read_text(encoding="utf-8")


def test_a_page_is_never_written_over_a_story(tmp_path):
    story = tmp_path / "old_wolf.html"
    story.write_text(f"<p>{TEXT}</p>", encoding="utf-8")
    result = run("score", story, "-m", "length", "--html", story)
    assert result.exit_code == 2
    assert "one of the stories" in result.stderr
    result = run("score", story, "-m", "length", "--html", f"{tmp_path}/")
    assert result.exit_code == 0
    assert story.read_text(encoding="utf-8") == f"<p>{TEXT}</p>"
    assert "Old wolf" in (tmp_path / "old_wolf-2.html").read_text(encoding="utf-8")


def test_titles_of_chapters_are_whole_names_of_files(tmp_path):
    book = tmp_path / "book.md"
    book.write_text("# 1. The Fog\n\nA wolf came.\n\n# 2. The Bell\n\nIt rang.\n", encoding="utf-8")
    assert run("score", book, "--chapters", "-m", "length", "--html", f"{tmp_path}/p/").exit_code == 0
    assert sorted(path.stem[-11:] for path in (tmp_path / "p").iterdir()) == ["2._The_Bell", "_1._The_Fog"]


def test_a_document_that_has_a_title_is_headed_by_it(tmp_path):
    story = tmp_path / "tale.html"
    story.write_text(f"<html><head><title>Wolf and/or Goat</title></head><p>{TEXT}</p>", encoding="utf-8")
    result = run("score", story, "-m", "length", "-f", "tsv", "--html", tmp_path / "page.html")
    assert result.exit_code == 0
    assert '<h1 dir="auto">Wolf and/or Goat</h1>' in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert str(story) in result.stdout


def test_chapters_are_headed_by_the_title_of_their_book(tmp_path):
    book = tmp_path / "book.html"
    body = "<h1>The Key</h1><p>A wolf came.</p><h1>The Bell</h1><p>It rang.</p>"
    book.write_text(f"<html><head><title>Two Tales</title></head><body>{body}", encoding="utf-8")
    run("score", book, "--chapter", "1", "-m", "length", "--html", tmp_path / "page.html")
    assert ">Two Tales: The Key</h1>" in (tmp_path / "page.html").read_text(encoding="utf-8")
