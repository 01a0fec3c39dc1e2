"""Held-out stories: whole ones, the same ones every time, never a copy of one that is trained on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import TrainingError
from barthes.finetuning.overlap import hold_out, set_apart
from barthes.finetuning.texts import TrainingText, hash_text

stories = st.lists(st.sampled_from("abcdefghijklmnop"), min_size=2, max_size=40).map(
    lambda letters: [TrainingText(f"{i}", f"Tale of {letter}.") for i, letter in enumerate(letters)]
)


def texts(part):
    return {hash_text(story.text) for story in part}


@given(stories.filter(lambda found: len(texts(found)) > 1), st.floats(0.01, 0.99), st.integers(0, 9))
def test_every_story_is_on_one_side(found, share, seed):
    parts = hold_out(found, share, seed=seed)
    assert sorted(map(repr, parts.train + parts.held_out)) == sorted(map(repr, found))
    assert parts.train
    assert parts.held_out
    assert not texts(parts.train) & texts(parts.held_out)


@given(stories.filter(lambda found: len(texts(found)) > 1), st.randoms(), st.integers(0, 9))
def test_order_names_and_white_space_change_nothing(found, draw, seed):
    others = [TrainingText(f"other {story.name}", f"  {story.text}\n".replace(" ", "\n")) for story in found]
    draw.shuffle(others)
    assert texts(hold_out(found, 0.3, seed=seed).held_out) == texts(hold_out(others, 0.3, seed=seed).held_out)


def test_the_seed_decides():
    found = [TrainingText(str(i), f"Tale {i}.") for i in range(40)]
    assert len({frozenset(texts(hold_out(found, 0.1, seed=seed).held_out)) for seed in range(5)}) > 1
    assert len(hold_out(found, 0.1).held_out) == 4


def test_nothing_is_held_out_where_nothing_should_be():
    assert hold_out([TrainingText("a", "One.")], 0).held_out == ()


def test_one_story_cannot_be_divided():
    twice = [TrainingText("a", "One."), TrainingText("b", "One.\n")]
    with pytest.raises(TrainingError, match="a share of 0"):
        hold_out(twice, 0.1)


def test_separate_stories_are_not_trained_on():
    found = [TrainingText("a", "One."), TrainingText("b", "Two.")]
    parts = set_apart(found, [TrainingText("c", "Two. ")])
    assert [story.name for story in parts.train] == ["a"]
    assert parts.notes == ("b is not trained on: it has passages of c, which is measured on.",)
    with pytest.raises(TrainingError, match="other stories to measure on"):
        set_apart(found, found)


def make_words(count, seed):
    letters = "abcdefghij"
    return [
        f"{letters[i % 10]}{letters[i * i % 7]}{letters[i // 10 % 10]}{letters[seed]}" for i in range(count)
    ]


TALE, OTHER = make_words(400, 0), make_words(90, 1)
NOVEL = [f"{word}{letter}" for letter in "abcdefghijklmnopqrst" for word in make_words(1000, 0)]


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ([*TALE[:40], "newer", *TALE[41:]], TALE),  # another printing
        ([*OTHER, *TALE, *OTHER], TALE),  # a book that it stands in
        (TALE[100:130], TALE),  # a part of it
        ([*TALE[380:], *OTHER], TALE),  # a passage that was cut elsewhere
        (TALE[:20], TALE),  # a page of it
        (NOVEL[5000:5100], NOVEL),  # a small part of a novel
    ],
)
def test_passages_of_a_story_to_measure_on_are_not_trained_on(words, whole):
    found = [TrainingText("passage", " ".join(words)), TrainingText("other", " ".join(OTHER))]
    twice = [*found, replace(found[1], name="copy")]  # copies to train on are the caller's choice
    split = set_apart(twice, [TrainingText("whole", " ".join(whole))])
    assert [story.name for story in split.train] == ["other", "copy"]
    assert [story.name for story in split.held_out] == ["whole"]


@given(st.integers(0, 9))
def test_passages_of_one_stretch_stay_together(seed):
    found = [TrainingText(str(i), f"Passage {i}.", f"stretch {i // 5}") for i in range(50)]
    parts = hold_out(found, 0.2, seed=seed)
    assert len(parts.held_out) == 10
    assert not {story.stretch for story in parts.train} & {story.stretch for story in parts.held_out}
