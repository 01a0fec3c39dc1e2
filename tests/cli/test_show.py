from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from barthes.cli.show import show_cli
from barthes.errors import NarrativeError, ReadingError

TEXT = 'The wolf ate the goat. "Put on your coat," said the fox.\n\nIt\nrained.\n'

app = typer.Typer()
app.command()(show_cli)


@pytest.fixture
def tale(tmp_path):
    path = tmp_path / "tale.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_people_see_what_the_machine_saw(tale):
    result = run(tale)
    assert result.exit_code == 0
    assert [line.rstrip() for line in result.stdout.splitlines()] == [
        "   1  The wolf ate the goat.",
        "      · ate            ARG0 [The wolf]   ARG1 [the goat]",
        "      SD   —",
        "      VA   The wolf did the goat.",
        "      PAA  Someone did something.",
        "",
        '   2  "Put on your coat," said the fox.',
        "      · Put … on       ARG1 [your coat]",
        "      · said           ARG0 [the fox]   ARG1 [Put on your coat]",
        "      SD   —",
        '      VA   "Do on your coat," did the fox.',
        '      PAA  "Do on something," did someone.',
        "",
        "   3  It rained.",
        "      · rained",
        "      SD   —",
        "      VA   It did.",
        "      PAA  It did.",
    ]


def test_one_sentence_and_one_removal(tale):
    lines = run(tale, "--sentence", 1, "--removal", "va").stdout.splitlines()
    assert lines[0] == "   1  The wolf ate the goat."
    assert lines[2:] == ["      VA   The wolf did the goat."]


def test_auxiliaries_may_stay(tmp_path):
    path = tmp_path / "goat.txt"
    path.write_text("The goat was eaten.")
    assert "PAA  Something was done." in run(path, "--keep-auxiliaries").stdout


def test_json_has_offsets(tale):
    found = json.loads(run(tale, "--format", "json").stdout)
    assert found["story"] == str(tale)  # as `barthes score` calls it
    assert [row["index"] for row in found["sentences"]] == [0, 1, 2]
    row = found["sentences"][1]
    put, said = row["events"]
    assert put["predicate"] | {"start": 0, "end": 0} == {
        "text": "Put",
        "start": 0,
        "end": 0,
        "tag": "VB",
        "lemma": "put",
    }
    assert [particle["text"] for particle in put["particles"]] == ["on"]
    assert [argument["role"] for argument in said["arguments"]] == ["ARG0", "ARG1"]
    spans = [put["predicate"], *put["particles"], *(s for a in said["arguments"] for s in a["spans"]), row]
    assert all(TEXT[span["start"] : span["end"]] == span["text"] for span in spans)
    assert row["removals"] == {
        "sd": "",
        "va": '"Do on your coat," did the fox.',
        "paa": '"Do on something," did someone.',
    }
    assert found["sentences"][2]["removals"]["va"] == "It\ndid."


def test_sentences_one_a_line(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("The wolf came. It rained.\nThe goat ran.\n")
    assert len(json.loads(run(path, "--sentences", "-f", "json").stdout)["sentences"]) == 2


def test_control_characters_do_not_reach_the_terminal(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("The wolf \x1b[31mcame. " + "Then it rained for a long, long time. " * 20)
    assert "\x1b" not in run(path).stdout


def test_errors_are_told_by_whoever_calls(tale, tmp_path):
    with pytest.raises(NarrativeError, match=r"there is no sentence 9; the story has 3"):
        run(tale, "--sentence", 9)
    with pytest.raises(ReadingError, match="no such file"):
        run(tmp_path / "nowhere.txt")
    assert run(tale, "--sentence", 0).exit_code == 2
    assert run(tale, "--removal", "nonsense").exit_code == 2
