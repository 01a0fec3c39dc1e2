from __future__ import annotations

import pytest

from barthes.annotation.marks import find_sites


@pytest.mark.parametrize(
    ("text", "marks", "closers", "start"),
    [
        ('"Stop!" she cried', "!", '"', "she"),
        ("“‘Stop!’” she cried", "!", "’”", "she"),
        ("« Halte ! » cria", "!", " »", "cria"),
        ("„Halt!“ rief sie", "!", "“", "rief"),
        ('Who?! "I', "?!", "", '"I'),
        ("Well . . . no", ". . .", "", "no"),
        ("「誰？」「私", "？", "」", "「私"),
        ("“谁？”“我", "？", "”", "“我"),
        ("(She slept.) He", ".", ")", "He"),
        ('" Stop ! " she', "!", ' "', "she"),
    ],
)
def test_a_site_knows_its_quotes(text, marks, closers, start):
    site = next(find_sites(text))
    assert (site.marks, site.closers) == (marks, closers)
    assert text[site.start :].startswith(start)
    assert text[site.mark : site.end] == marks + closers


def test_a_site_leads_to_the_next_letter():
    text = 'He ran. - "And you?"'
    site = next(find_sites(text))
    assert (text[site.start], text[site.lead], site.following) == ("-", "A", "A")


def test_the_last_site_is_followed_by_nothing():
    *_, site = find_sites("It rained.")
    assert (site.start, site.following, site.is_spaced) == (10, "", False)
