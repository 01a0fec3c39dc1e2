"""The example stories agree with each other and with what their README says about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from barthes.narrative import Narrative

EXAMPLES = Path(__file__).parents[1] / "examples"
TALE = "the_ferrymans_daughter"


def read_lines(name: str) -> list[str]:
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def text() -> str:
    title, text = (EXAMPLES / f"{TALE}.txt").read_text(encoding="utf-8").split("\n\n", maxsplit=1)
    assert title == "The Ferryman's Daughter"
    return text


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    return read_lines(f"{TALE}.sentences.txt")


@pytest.fixture(scope="module")
def cardinal() -> dict[int, str]:
    rows = [line.split("\t") for line in read_lines(f"{TALE}.cardinal.txt")]
    assert all(len(row) == 2 for row in rows)
    assert len({index for index, _ in rows}) == len(rows)
    return {int(index): reason for index, reason in rows}


def test_the_tale_has_eighty_sentences(sentences: list[str]) -> None:
    assert len(sentences) == 80
    assert all(sentence and sentence == " ".join(sentence.split()) for sentence in sentences)


def test_the_sentences_rebuild_the_text(text: str, sentences: list[str]) -> None:
    assert Narrative.from_sentences(sentences).text == " ".join(text.split())


def test_paragraphs_start_and_end_with_a_sentence(text: str, sentences: list[str]) -> None:
    paragraphs = text.strip().split("\n\n")
    assert len(paragraphs) > 5
    assert all(paragraph.startswith(tuple(sentences)) for paragraph in paragraphs)
    assert all(paragraph.endswith(tuple(sentences)) for paragraph in paragraphs)


def test_quotes_are_straight_and_paired(text: str) -> None:
    assert text.isascii()
    assert text.count('"') % 2 == 0


def test_dialogue_is_not_cut_from_its_speaker(sentences: list[str]) -> None:
    assert '"Stop!" he cried, although they had nowhere to run.' in sentences


def test_cardinal_indices_are_sentences_in_story_order(
    sentences: list[str], cardinal: dict[int, str]
) -> None:
    assert list(cardinal) == sorted(cardinal)
    assert set(cardinal) <= set(range(len(sentences)))
    assert all(reason.partition(": ")[2] for reason in cardinal.values())


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("villainy", "drew the ferryman's name out of his mouth"),
        ("gift", "a small bronze bell"),
        ("victory", "sprang into the empty bell"),
        ("recognition", "Maren, child, your feet are wet."),
        ("wedding", "married Jory"),
    ],
)
def test_a_function_stands_where_it_happens(
    function: str, words: str, sentences: list[str], cardinal: dict[int, str]
) -> None:
    [index] = [index for index, reason in cardinal.items() if reason.startswith(f"{function}:")]
    assert words in sentences[index]


def test_most_of_the_tale_is_catalysts(sentences: list[str], cardinal: dict[int, str]) -> None:
    assert len(cardinal) == 21
    weather = next(i for i, sentence in enumerate(sentences) if "fog lay on the water" in sentence)
    assert weather not in cardinal


def test_cinderella_is_the_papers_toy_story() -> None:
    sentences = read_lines("cinderella.txt")
    assert len(sentences) == 6
    assert sentences[4] == "The prince falls in love with Cinderella."
