from __future__ import annotations

import pytest

from barthes.annotation.sentence_ends import find_candidates


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
def test_a_candidate_knows_its_quotes(text, marks, closers, start):
    candidate = next(find_candidates(text))
    assert (candidate.marks, candidate.closers) == (marks, closers)
    assert text[candidate.start :].startswith(start)
    assert text[candidate.mark : candidate.end] == marks + closers


def test_a_candidate_leads_to_the_next_letter():
    text = 'He ran. - "And you?"'
    candidate = next(find_candidates(text))
    assert (text[candidate.start], text[candidate.lead], candidate.following) == ("-", "A", "A")


def test_the_last_site_is_followed_by_nothing():
    *_, candidate = find_candidates("It rained.")
    assert (candidate.start, candidate.following, candidate.is_spaced) == (10, "", False)
