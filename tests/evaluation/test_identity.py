from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.evaluation.identity import (
    REVISION,
    Identity,
    hash_story,
    safe_name,
)
from barthes.narrative import Narrative
from barthes.version import package_version

IDENTITY = Identity("tales", "story1", "t", "sd", model="gpt2", fingerprint="f")
STORY = Narrative.from_sentences(["A wolf came.", "It rained."])


@given(st.text(max_size=300))
def test_names_are_safe_everywhere(name):
    safe = safe_name(name)
    assert 0 < len(safe) <= 100
    assert safe.isascii()
    assert not set(safe) & set('/\\:*?"<>| ')
    assert safe not in (".", "..")
    assert safe[0] != "."


@given(st.text(max_size=100), st.text(max_size=100))
def test_names_stay_apart(one, other):
    """On systems, too, for which Wolf and wolf are one file."""
    assert (safe_name(one).lower() == safe_name(other).lower()) == (one == other)


@pytest.mark.parametrize(
    "name", ["story1", "mr-wolf", "gpt2", "smollm2-135m", "sd+tfidf", "a_b.c", "console"]
)
def test_plain_names_stay_as_they_are(name):
    assert safe_name(name) == name


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("ProppLearner", "ProppLearner-"),
        ("Wolf", "Wolf-"),
        ("con", "con-"),
        ("NUL", "NUL-"),
        ("aux.story", "aux-story-"),
        ("com1", "com1-"),
        ("a-wolf-9d36d27e", "a-wolf-9d36d27e-"),
        ("meta/llama", "meta-llama-"),
        ("/home/me/models/gpt2", "gpt2-"),
        ("/", ""),
    ],
)
def test_names_that_might_meet_another_get_a_hash(name, start):
    assert re.fullmatch(re.escape(start) + "[0-9a-f]{8}", safe_name(name))


def test_no_name_can_be_the_safe_name_of_another():
    assert safe_name(safe_name("a wolf")) != safe_name("a wolf")
    assert len({safe_name(name) for name in ("wolf", "Wolf", "WOLF", safe_name("Wolf"))}) == 4


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({}, "tales/published-formula/gpt2/sd/story1.json"),
        ({"window": 512}, "tales/published-formula/gpt2/sd-window512/story1.json"),
        ({"variant": "paper"}, "tales/paper/gpt2/sd/story1.json"),
        ({"kind": "ordering", "part": "3"}, "tales/published-formula/gpt2/ordering-sd/story1-3.json"),
        ({"precision": "float32"}, "tales/published-formula/gpt2/sd/story1.json"),
        ({"precision": "bfloat16"}, "tales/published-formula/gpt2/sd-bfloat16/story1.json"),
        ({"annotation": "0f" * 32}, "tales/published-formula/gpt2/sd/story1.json"),
        ({"version": "9", "fingerprint": "g", "text": "u"}, "tales/published-formula/gpt2/sd/story1.json"),
        ({"revision": 0}, "tales/published-formula/gpt2/sd/story1.json"),
    ],
)
def test_the_path_tells_what_it_is(change, path):
    assert replace(IDENTITY, **change).path.as_posix() == path


def test_alternatives_have_folders_of_their_own():
    changes = [{}, {"annotation": "spacy 3.8, en 3.8"}, {"settings": {"seed": 1}}, {"settings": {"seed": 2}}]
    paths = [replace(IDENTITY, **change).path for change in changes]
    assert len({path.parent for path in paths}) == 4
    assert all(re.fullmatch("sd(-[0-9a-f]{8})?", path.parent.name) for path in paths)


def test_the_revision_is_part_of_it():
    assert IDENTITY.to_dict()["revision"] == REVISION


def test_packages_put_there_by_hand_have_no_version():
    assert package_version("pytest")[0].isdigit()
    assert package_version("barthes-no-such-package") == "of unknown version"


def test_the_path_stays_in_its_folder():
    path = Identity("../..", "../../etc/passwd", "t", "/sd", model="meta/llama").path
    assert ".." not in path.parts
    assert len(path.parts) == 5


def test_json_keeps_it():
    assert IDENTITY.to_dict()["fingerprint"] == "f"
    assert replace(IDENTITY, settings={"seeds": (1, 2)}).to_dict()["settings"] == {"seeds": [1, 2]}


def test_a_story_is_its_text_and_its_sentences():
    assert hash_story(STORY) == hash_story(replace(STORY, title="wolf", notes=("a note",)))
    assert hash_story(STORY) != hash_story(Narrative.from_sentences(["A wolf came.", "It snowed."]))
    assert hash_story(STORY) != hash_story(replace(STORY, spans=((0, 23),)))
    assert hash_story(Narrative.from_sentences(["\ud800"])), "half a surrogate pair"
