"""Any command-line arguments give a message and a documented exit code, never a traceback."""

from __future__ import annotations

import os

import pytest
import typer.main
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from barthes.cli.main import app
from tests.fuzz.bounds import bounded

SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
CODES = {0, 1, 2, 130}
# Commands that load models, wait for browsers or train; their options are parsed by the same code.
HEAVY = {"serve", "finetune", "perplexity", "reproduce"}
GROUP = typer.main.get_command(app)


COMMANDS = {(word,): each for word, each in GROUP.commands.items() if not hasattr(each, "commands")}
for word in GROUP.commands.keys() - {words[0] for words in COMMANDS}:
    COMMANDS |= {(word, inner): leaf for inner, leaf in GROUP.commands[word].commands.items()}
LIGHT = sorted(words for words in COMMANDS if words[0] not in HEAVY and words != ("models", "fetch"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a bit of everything, to be named in arguments."""
    place = tmp_path_factory.mktemp("folder")
    (place / "tales").mkdir()
    for name, text in FILES.items():
        (place / name).write_text(text)
    return place


FILES = {
    "tale.txt": "It rained. The wolf came. The girl ran.\n",
    "empty.txt": "",
    "broken.pdf": "%PDF-1.7\nnothing",
    "scores.json": "{}",
    "table.tsv": "story\tsentence\tlabel\nwolf\tIt rained.\t0\nwolf\tIt ate.\t1\n",
    "tales/one.txt": "A wolf came.",
}


WORDS = st.sampled_from(
    ["tale.txt", "empty.txt", "broken.pdf", "scores.json", "table.tsv", "tales", "missing.txt", ".", "",
     "-", "--", "/",
     "/dev/null", "~nobody/x", "a\x00b", "\udcff", "propplearner=tales", "labelled=table.tsv", "tripod=",
     "=", "position",
     "random", "length", "tfidf+position", "sd+", "tsv", "json", "html", "en", "xx", "0", "1", "-1",
     "9" * 30, "1e99", "a" * 5000,
     "nan", "1/2", "3/0", "svg", "event", "paper"]
) | st.text(max_size=12)  # fmt: skip


def arguments(words):
    flags = [flag for option in COMMANDS[words].params for flag in option.opts if flag.startswith("-")]
    pieces = st.lists(st.sampled_from(flags or ["--x"]) | WORDS, max_size=6)
    # A model would have to be fetched or loaded: the methods here do without.
    tail = ["--method", "position"] if "--method" in flags else []
    return pieces.map(lambda drawn: [*words, *drawn, *tail])


def call(given, folder, monkeypatch):
    monkeypatch.chdir(folder)
    offline = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "HF_HUB_OFFLINE": "1"}
    places = {"BARTHES_CACHE": str(folder / "cache"), "PIP_FIND_LINKS": str(folder / "nothing")}
    with bounded():
        result = CliRunner().invoke(GROUP, given, env=offline | places)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(given) from result.exception
    assert result.exit_code in CODES
    assert "Traceback" not in result.output
    if result.exit_code == 2:
        assert result.stderr.strip()
    return result


@given(data=st.data())
@settings(max_examples=70, suppress_health_check=SLOW)
def test_any_arguments_are_followed_or_refused(folder, monkeypatch, data):
    words = data.draw(st.sampled_from(LIGHT))
    call(data.draw(arguments(words)), folder, monkeypatch)


@pytest.mark.parametrize(
    "words",
    [
        "score LONG -m position", "score tale.txt -m position -o LONG",
        "score tale.txt -m position --html LONG", "score LONG -m position --html pages/",
        "score tale.txt --model LONG", "show LONG", "plot LONG -o x.svg", "compare LONG LONG",
        "evaluate position -c labelled=LONG", "evaluate position -c tripod=LONG",
        "evaluate position -c propplearner=LONG", "evaluate position -c rocstories-salience=LONG",
        "evaluate position -c labelled=table.tsv -o LONG", "bench position -c labelled=LONG",
        "export LONG -o x.csv", "corpus propplearner LONG", "perplexity LONG", "perplexity x=LONG",
        "perplexity tale.txt --out LONG.json", "perplexity tale.txt --model LONG",
        "finetune --train LONG --out tuned", "finetune --train x=LONG --out tuned",
        "reproduce -c LONG", "reproduce -c propplearner=LONG", "run LONG -m position --out run",
        "run tale.txt -m position --out LONG", "status LONG", "serve --results LONG",
        "models fetch --from LONG",
    ],
)  # fmt: skip
def test_too_long_file_names_are_refused(folder, monkeypatch, words):
    given = [word.replace("LONG", "a" * 5000) for word in words.split()]
    result = call(given, folder, monkeypatch)
    assert (result.exit_code, "Usage:" in result.stderr) == (2, False)


@given(words=st.lists(WORDS, max_size=4))
@example(words=[])
@settings(max_examples=30, suppress_health_check=SLOW)
def test_any_words_in_place_of_a_command(folder, monkeypatch, words):
    call(words, folder, monkeypatch)
