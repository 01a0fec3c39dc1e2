"""The tables and figures of the paper, read from its LaTeX source."""

from __future__ import annotations

import re

__all__ = ["find_tables", "numbers_in", "read_influence", "read_table_2", "read_toy_story"]

_METHODS = {
    "Random": "random",
    "Sentence position (asc)": "position",
    "Sentence position (desc)": "position-desc",
    "TF-IDF": "tfidf",
}
_FINE_TUNINGS = {"-": None, "BookCorpus": "domain", "ProppLearner": "transductive"}
_TICK = r"\ding{51}"


def find_tables(source):
    """The rows of each table that stands in a file of its own, as lists of cells."""
    parts = re.split(r"^%% file: tables/(\w+)\.tex$", source, flags=re.MULTILINE)[1:]
    return {name: _cells(text) for name, text in zip(parts[::2], parts[1::2], strict=True)}


def _cells(text):
    nested = re.compile(r"\\begin\{tabular\}\[c\]\{@\{\}l@\{\}\}(.*?)\\end\{tabular\}")
    text = nested.sub(lambda found: found[1].replace(r"\\", " "), text)
    text = re.sub(r"\\(?:top|mid|bottom)rule|\\cmidrule\{[^}]*\}|\\cellcolor\[HTML\]\{\w+\}", "", text)
    inside = text.split("\n", maxsplit=2)[2] if text.startswith("\n\\begin") else text
    rows = inside.partition(r"\end{tabular}")[0].split(r"\\")
    return [[cell.strip() for cell in row.split("&")] for row in rows if row.strip()]


def read_table_2(rows):
    """(method, tfidf, fine-tuning, MAP, dagger, bold, bold italic) for each row below the heading."""
    method, tfidf = "", False
    for first, second, third, figure in rows[1:]:
        if first:
            proposed = re.search(r"\\textbf\{(\w+)\}", first)
            method = proposed[1].lower() if proposed else _METHODS[first]
            tfidf = False
        if second:
            tfidf = _TICK in second
        italic = figure.startswith(r"\textit{\textbf{")
        bold = figure.startswith(r"\textbf{")
        [number] = numbers_in(figure)
        yield method, tfidf, _FINE_TUNINGS[third], number, r"\dagger" in figure, bold, italic


def read_toy_story(rows):
    """(text, salient, σ) for each sentence."""
    for salient, _, text, figure in rows[1:]:
        [number] = numbers_in(figure)
        yield _plain(text), _TICK in salient, number


def read_influence(rows):
    """The matrix, None where there is a dash."""
    for _, _, _, *figures in rows[2:]:
        yield tuple(next(iter(numbers_in(figure)), None) for figure in figures)


def numbers_in(text):
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]


def _plain(text):
    return re.sub(r"\s+", " ", text).replace(" ,", ",").strip()
