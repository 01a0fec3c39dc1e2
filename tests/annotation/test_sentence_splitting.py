"""Where sentences end: claims about print, and agreement with the boundaries in ProppLearner."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.annotation import split_sentences
from barthes.corpora import ProppLearner
from barthes.errors import UnknownNameError

CORPUS = Path(os.environ.get("BARTHES_SHARED", Path(__file__).parents[3] / "shared"), "data", "propplearner")


def split(text: str, language: str = "en") -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language=language)]


@pytest.mark.parametrize(
    "sentences",
    [
        ['"Stop!" she cried.', "It rained."],
        ["“Stop!” she cried.", "‘Who is there?’ asked the king.", "‘No,’ said he."],
        ["'Stop!' she cried.", "'I won't!' he said."],
        ["«Stop!» she cried.", "She ran."],
        ['"Stop!" Anna cried.', '"Stop!" Mr. Fox cried, "or I shoot!"', '"Stop!" I said.'],
        ['"Who?" Baba Yaga said angrily.', '"Who?" Ivan quickly replied.'],
        ['"Look!" and she dropped the jug.', "Then - splash! - the frog was gone."],
        ['"I know." she said.', "He ran... and fell."],
        ['"_Stop!_" she cried.', "She said, \"He told me, 'Run!'\" and wept."],
    ],
)
def test_a_speech_tag_belongs_to_what_is_said(sentences):
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ['He said, "Go home."', "Then he left."],
        ['"Go home."', '"No."', '"Yes!"', '"Why?" he asked.'],
        ["“Who is it?”", "“The wolf.”"],
        ['"Who is it?"', 'Ivan answered: "The wolf."'],
        ['"Stop!"', "The king slept."],
        ['"Go away."', "Ivan begged for bread in the town."],
        ["He came home (he was tired).", "(She was not.)", "They slept."],
        ["What?!", "Really??", "Yes!!!"],
        ['"Not me, sir!', 'Ask my brother!"'],
    ],
)
def test_a_closing_quote_belongs_to_its_sentence(sentences):
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Mr. Fox and Dr. Bear went to St. Ives, e.g. on foot.", "They met Mrs. Hare at No. 5 near the inn."],
        [
            "She left at 5 p.m. and slept, i.e. she rested.",
            "Prof. Owl, viz. the old one, came, etc. and so on.",
        ],
        ["The book is by J. R. R. Tolkien.", "It is long."],
        ["The fox is quite as hungry as you and I.", "Give him some of the cake."],
        ["He lives on Main St.", "The house is old."],
        ["The U.S. Army came.", "He paid 3.14 dollars."],
    ],
)
def test_abbreviations_hold(sentences):
    assert split(" ".join(sentences)) == sentences


def test_paragraphs_are_boundaries_and_wrapped_lines_are_not():
    wrapped = (
        "The wolf came down from the hills to the village where the seven\nkids lived with their mother."
    )
    assert split(f"{wrapped}\n\nThe end") == [wrapped, "The end"]
    assert split('He sang:\n \n"Come."\n\n\n* * *\n\nIt rained.') == [
        "He sang:",
        '"Come."',
        "* * *",
        "It rained.",
    ]
    assert split('"Stop!"\r\nshe cried.\r\n\r\nTwo.\r\nThree.') == ['"Stop!"\r\nshe cried.', "Two.", "Three."]


def test_paragraphs_without_blank_lines_are_told_from_wrapped_prose():
    long = "The old man was silent for a long while and did not look at her, " * 3 + "so she left."
    lines = ["Chapter One", '"Why?"', '"Because."', long, "He slept."]
    assert split("\n".join(lines)) == lines


def test_verse_runs_over_its_lines():
    stanza = "O river, river, carry me\nDown to the wide and silver sea,\nTo the house where I was born."
    refrain = "The night is long,\nAnd long the road."
    assert split(f"{stanza}\nCarry me! {refrain}") == [stanza, "Carry me!", refrain]


def test_lines_without_any_punctuation_stand_alone():
    assert split("the river ran\nthe moon was white\nno one came") == [
        "the river ran",
        "the moon was white",
        "no one came",
    ]


def test_lists_survive():
    bullets = ["He packed:", "- bread", "- cheese", "- salt", "Then he left.", "It was late."]
    assert split("He packed:\n- bread\n- cheese\n- salt\nThen he left. It was late.") == bullets
    numbers = ["Things to Buy", "1. Bread and milk.", "2. Salt", "3. Butter"]
    assert split("\n".join(numbers)) == numbers


def test_headings_stand_alone():
    text = "THE WOLF AND THE FOX\nOnce there was a wolf. He was hungry."
    assert split(text) == ["THE WOLF AND THE FOX", "Once there was a wolf.", "He was hungry."]


def test_prose_without_full_stops_is_cut_by_the_parser():
    first = "She opened the door There was nobody in the house"  # even the parser overlooks some
    rest = "She called his name and nobody answered Then she saw the wolf in the bed of the old woman"
    assert split(f"{first} {rest}") == [first, rest]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("fr", ["« Halte ! » cria-t-elle.", "M. Dupont arriva.", "— Viens ! — dit-il."]),
        ("de", ["„Halt!“ rief sie.", "»Komm!« sagte Dr. Bär.", "Der König ging."]),
        ("es", ["—¡Alto! —gritó ella.", "¿Quién es?", "«¡Corre!», dijo."]),
        ("ru", ["— Стой! — крикнула она.", "«Кто там?» — спросил волк.", "Он ушёл."]),
        ("hi", ["वह आया।", "वह गया।"]),
        ("ko", ["늑대가 왔다.", "비가 왔다."]),
        ("xx", ["A wolf came.", "It rained."]),
        ("en-GB", ["It rained.", "It stopped."]),
    ],
)
def test_other_languages_go_by_punctuation_and_the_same_rules(language, sentences):
    assert split(" ".join(sentences), language) == sentences


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("ja", ["「止まれ！」と彼女は叫んだ。", "狼は逃げた。", "「誰？」", "「私だ。」"]),
        ("zh", ["“站住！”她喊道。", "狼跑了。", "“谁？”", "“我。”"]),
    ],
)
def test_scripts_without_spaces(language, sentences):
    assert split("".join(sentences), language) == sentences


def test_an_unknown_language_is_named():
    with pytest.raises(UnknownNameError, match=r"no language 'dee'\. Did you mean 'de'"):
        split_sentences("Es war einmal.", language="dee")


def test_nothing_gives_nothing():
    assert split_sentences("") == split_sentences(" \n\t ") == ()


def test_a_long_paragraph_goes_through_in_pieces_and_is_split_as_before():
    sentences = [f"The wolf came to house number {k}." for k in range(2000)]
    assert split(" ".join(sentences)) == sentences


def test_ornaments_take_no_time():
    line = "!" + ")" * 50_000
    assert split(f"{line} The wolf came. It rained.") == [f"{line} The wolf came.", "It rained."]


pieces = st.sampled_from(
    [*"\"'“”‘’«»().!?…:,-—*_。「」 \n\u2028\x1c", "\n\n", "\r\n", "...", "Mr.", "1.", "- ", "A", "wolf"]
)
texts = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=40).map("".join))


@given(texts, st.sampled_from(["en", "en", "de", "ja", "xx", "zh"]))
@settings(deadline=None, max_examples=200)
def test_sentences_and_white_space_rebuild_the_text(text, language):
    position = 0
    for start, end in split_sentences(text, language=language):
        assert position <= start < end
        assert text[position:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        position = end
    assert text[position:].strip() == ""


@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="needs ProppLearner: set BARTHES_SHARED to the folder with data/"
)
def test_boundaries_agree_with_propplearner():
    """A boundary counts only where the offsets are equal, so a misplaced closing quote is two errors.

    Most of the rest is of one kind: the annotators join a sentence that ends in a colon with the verse of
    the next paragraph, and we split them.
    """
    hits = found = gold = 0
    for tale in ProppLearner(CORPUS):
        expected = {end for _, end in tale.narrative.spans}
        predicted = {end for _, end in split_sentences(tale.narrative.text)}
        hits, found, gold = hits + len(expected & predicted), found + len(predicted), gold + len(expected)
    precision, recall = hits / found, hits / gold
    assert recall >= 0.995
    assert 2 * precision * recall / (precision + recall) >= 0.99
