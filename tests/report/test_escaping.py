from __future__ import annotations

import pytest

from barthes.report.escaping import escape_latex, escape_markdown


@pytest.mark.parametrize("sign", list("\\`*_{}[]<>|#~$&"))
def test_no_sign_reaches_markdown_as_it_is(sign):
    assert escape_markdown(f"a{sign}b") == f"a\\{sign}b"


@pytest.mark.parametrize("start", ["-", "+", "1.", "12)", "="])
def test_no_line_starts_a_list_or_underlines_a_heading(start):
    assert escape_markdown(f"{start} x") == f"{start[:-1]}\\{start[-1]} x"


@pytest.mark.parametrize("text", ["-0.014", "3.5", "0.250–0.330", "a - b", "0.294†", "ρ"])
def test_figures_stay_readable_in_markdown(text):
    assert escape_markdown(text) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b & 50 %", r"a\_b \& 50 \%"),
        ("\\ ~ ^", r"\textbackslash{} \textasciitilde{} \textasciicircum{}"),
        ("0.1–0.2†", r"0.1--0.2\textsuperscript{\textdagger}"),
        ("Žižek", "Žižek"),
    ],
)
def test_latex(text, escaped):
    assert escape_latex(text) == escaped
