"""What the release makes of a sentence, rule by rule."""

import dataclasses

import pytest

from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Token
from barthes.narrative import Narrative
from barthes_research.reproduction.release_removal import move_annotation, release_removals, tag_words


def tale_of(crane, text, *events):
    """A tale of one sentence; an event is a verb and the words of its roles, each given by position."""
    words = text.split()
    narrative = Narrative.from_sentences([text])
    tokens, position = [], 0
    for word in words:
        tokens.append(Token(position, position + len(word), word, ""))
        position += len(word) + 1
    roles = [
        Event(
            tokens[verb],
            tuple(Argument(role, ((tokens[i].start, tokens[j - 1].end),)) for role, i, j in arguments),
        )
        for verb, arguments in events
    ]
    annotation = Annotation((SentenceAnnotation(tuple(tokens), tuple(roles)),))
    return dataclasses.replace(crane, narrative=narrative, annotation=annotation, words=(tuple(words),))


def removed(method, tale):
    [only] = release_removals(tale)[method]
    return only.text


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The wolf ate the goat .", "The wolf did the goat ."),
        ("The wolf was hungry .", "The wolf be hungry ."),
        ("I am the wolf and you are not .", "I be the wolf and you be not ."),
        ("They were eaten .", "They be done ."),
        ("She has been ill .", "She does done ill ."),  # the release's *be* has five forms only
        ("He wo n't be eating .", "He wo n't do doing ."),
        ("He 's a wolf .", "He does a wolf ."),
        ("They did n't sleep .", "They did n't do ."),  # no contraction is put together or taken apart
        ("Come home !", "Do home !"),
        ("No trace of the wolf .", "No trace of the wolf ."),
    ],
)
def test_verbs_become_do_by_spacys_tags(crane, sentence, expected):
    assert removed("va", tale_of(crane, sentence)) == expected


@pytest.mark.parametrize(
    ("sentence", "verb", "arguments", "expected"),
    [
        (
            "The old wolf ate the goat in the wood .",
            3,
            [("ARG0", 0, 3), ("ARG1", 4, 6), ("ARGM-LOC", 6, 9)],
            "Someone did something in the wood .",
        ),
        ("The old wolf ate the goat .", 3, [], "The old wolf did the goat ."),
        ("The king of the wolves slept .", 5, [("ARG1", 0, 5), ("ARG0", 3, 5)], "Something someone did ."),
        (
            "The wolf gave the goat bread .",
            2,
            [("ARG0", 0, 2), ("ARG1", 3, 5), ("ARG1", 5, 6)],
            "Someone did something .",
        ),
        ("The wolf has been seen .", 4, [("ARG1", 0, 2)], "Something does done done ."),
    ],
)
def test_arguments_are_the_corpus_own(crane, sentence, verb, arguments, expected):
    """ARG0 wins where spans overlap, and a run of the same pronoun shrinks."""
    assert removed("paa", tale_of(crane, sentence, (verb, arguments))) == expected


def test_given_words_are_tagged_as_they_are():
    """spaCy itself would cut *cannot* in two."""
    cannot, quoted = tag_words(
        [["She", "cannot", "swim", "."], ["``", "I", "do", "n't", "know", ",", "''", "she", "said", "."]]
    )
    assert len(cannot) == 4
    assert quoted == ["``", "PRP", "VBP", "RB", "VB", ",", "''", "PRP", "VBD", "."]


def test_the_annotation_lies_over_the_token_text(crane):
    annotation = move_annotation(crane.annotation, crane.words)
    annotation.check(crane.token_narrative)
    assert [[token.text for token in sentence.tokens] for sentence in annotation] == [*map(list, crane.words)]
    assert [(token.tag, token.auxiliary) for token in annotation.tokens] == [
        (token.tag, token.auxiliary) for token in crane.annotation.tokens
    ]


def test_every_tale_of_the_corpus(propplearner):
    """39 sentences have nothing that spaCy calls a verb; what is replaced, and only that, is other words."""
    unchanged = words = 0
    for tale in propplearner:
        narrative, annotation = tale.token_narrative, move_annotation(tale.annotation, tale.words)
        annotation.check(narrative)
        assert len(narrative) == len(tale.labels)
        assert len(annotation.events) == len(tale.annotation.events)
        words += len(narrative.text.split(" "))
        removals = release_removals(tale)
        for sentence, verbs, both in zip(narrative, removals["va"], removals["paa"], strict=True):
            assert verbs.index == both.index == sentence.index
            assert len(verbs.text.split()) == len(sentence.text.split())
            assert len(both.text.split()) <= len(sentence.text.split())
            unchanged += verbs.text == sentence.text
    assert (unchanged, words) == (39, 23291)  # words: punctuation is counted
