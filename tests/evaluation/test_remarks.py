from __future__ import annotations

from barthes.evaluation.remarks import gather_notes


def test_notes_are_told_once_with_the_stories_and_methods():
    long, odd = "It is long.", "It is odd."
    notes = [
        ("sd", {"wolf": (long, long, odd), "king": (long,), "mill": ()}),
        ("va", {"wolf": (long,), "king": (long,)}),
        ("paa", {"mill": (long,)}),
        ("paa", {"mill": (long,)}),
    ]
    assert gather_notes(notes, stories=3) == (
        "2 of 3 stories (sd, va): It is long.",
        "1 of 3 stories (sd): It is odd.",
        "1 of 3 stories (paa): It is long.",
    )


def test_nothing_to_say():
    assert gather_notes([("sd", {"wolf": ()})], stories=1) == ()
