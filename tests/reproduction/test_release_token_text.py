"""Token text: every word in Penn's spelling, one space between two, and the annotation over it."""

from barthes.reproduction.release_token_text import move_annotation


def token_annotation(tale):
    """The tale's annotation, laid over its token text."""
    return move_annotation(tale.annotation, tale.words)


def test_tokens_are_joined_by_single_spaces(crane):
    narrative = crane.token_narrative
    assert [sentence.text for sentence in narrative] == [
        "A crane lived by the lake .",
        "One day it set off to find a wife .",
        "`` Come home , '' said the fox , `` and rest . ''",
        "`` You -LRB- or I -RRB- had not been seen since then . ''",
    ]
    assert narrative.text == " ".join(sentence.text for sentence in narrative)
    assert (narrative.title, narrative.language) == ("The Crane's Wife", "en")


def test_the_annotation_lies_over_the_token_text(crane):
    annotation = token_annotation(crane)
    annotation.check(crane.token_narrative)
    assert [[token.text for token in sentence.tokens] for sentence in annotation] == [*map(list, crane.words)]
    assert [(token.tag, token.auxiliary) for token in annotation.tokens] == [
        (token.tag, token.auxiliary) for token in crane.annotation.tokens
    ]


def test_predicates_and_roles_move_with_their_words(crane):
    text = crane.token_narrative.text
    _, _, said, spoken = token_annotation(crane)
    _, say, _ = said.events
    assert (say.predicate.text, say.frame) == ("said", "say.01")
    roles = {a.role: [text[start:end] for start, end in a.spans] for a in say.arguments}
    assert roles == {"ARG0": ["the fox"], "ARG1": ["Come home", "and rest"]}
    speech, seen = spoken.events
    assert speech.predicate.text == "``"
    assert [text[slice(*span)] for a in seen.arguments for span in a.spans] == [
        "You -LRB- or I -RRB-",
        "since then",
        "not",
    ]


def test_particles_are_the_sentences_own_tokens(crane):
    sentence = token_annotation(crane)[1]
    assert [particle.text for particle in sentence.events[0].particles] == ["off"]
    assert set(sentence.events[0].trigger) <= set(sentence.tokens)


def test_other_tags_replace_the_gold_ones_everywhere(crane):
    tags = [["X"] * len(words) for words in crane.words]
    moved = move_annotation(crane.annotation, crane.words, tags)
    assert {token.tag for token in moved.tokens} == {"X"}
    assert {event.predicate.tag for event in moved.events} == {"X"}


def test_every_tale_of_the_corpus(propplearner):
    sentences = words = events = 0
    for tale in propplearner:
        narrative, annotation = tale.token_narrative, token_annotation(tale)
        annotation.check(narrative)
        assert len(narrative) == len(tale.labels)
        sentences += len(narrative)
        words += sum(len(sentence.text.split(" ")) for sentence in narrative)
        events += len(annotation.events) - len(tale.annotation.events)
    assert (sentences, words, events) == (1302, 23291, 0)  # words: punctuation is counted
