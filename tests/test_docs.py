"""The documentation is true: its examples run, its links lead somewhere, and nothing public is missing."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
import typer.main

import barthes
from barthes.cli.main import app

ROOT = Path(__file__).parent.parent
FOLDERS = ("", "docs/**/", "examples/", "research/", "research/docs/", "research/results/")
PAGES = sorted(page for folder in FOLDERS for page in ROOT.glob(f"{folder}*.md"))
REFERENCE = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def name(path):
    return str(path.relative_to(ROOT))


def has_examples(page):
    if page.name == "api.md":  # of docstrings, which are tested where they are
        return False
    return re.search(r"^\s*>>> ", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", list(filter(has_examples, PAGES)), ids=name)
def test_examples_run(page):
    failures, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried
    assert not failures


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_public_name_is_documented():
    for public in barthes.__all__:
        assert f"barthes.{public}" in REFERENCE, public


def commands():
    group = typer.main.get_command(app)
    for word, command in group.commands.items():
        yield word, command
        for inner, leaf in getattr(command, "commands", {}).items():
            yield f"{word} {inner}", leaf


@pytest.mark.parametrize(
    ("words", "command"), list(commands()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_every_command_and_option_is_documented(words, command):
    for word in words.split():
        assert re.search(rf"\b{word}\b", COMMANDS), words
    assert command.help
    for option in command.params:
        for flag in option.opts:
            if flag.startswith("--") and flag != "--help":
                assert flag in COMMANDS, f"{words} {flag}"


def find_command_lines(page):
    """Return the `barthes` commands in a page's code blocks and tables, continuation lines joined."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    return re.findall(r"(?:^(?:\$ |[A-Z_]+=\S+ |cat \S+ \| )?|`)barthes ([a-z][^`#\n|]*)", text, re.MULTILINE)


@pytest.mark.parametrize("page", list(filter(find_command_lines, PAGES)), ids=name)
def test_every_command_on_a_page_exists(page):
    known = dict(commands())
    for line in find_command_lines(page):
        words = line.split()
        command = known.get(" ".join(words[:2])) or known.get(words[0])
        assert command, line
        flags = {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
        for flag in re.findall(r"(?<=\s)--?[a-z][a-z-]*", line):
            assert flag in flags | {"--help"}, line


@pytest.mark.parametrize(
    "page", ["README.md", "docs/index.md", "docs/how-to/install.md", "docs/how-to/plot.md"]
)
def test_the_install_line_says_what_to_do_before_the_first_release(page):
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    assert "until the first release" in next(line for line in lines if line.startswith("pip install"))
