"""The release's removal functions, on a tale's token text.

SD deletes the sentence. VA replaces verbs as tagged by spaCy: *am, is, are, was, were* become *be*, every
other verb (also *been* and *'s*) the form of *do* for its tag. PAA also replaces the words of the corpus's
ARG0 and ARG1 with *someone* and *something*: ARG0 has priority where they overlap, and repeated pronouns
become one.

Details that the release does not show (capitals, clauses inside an argument) are as in `barthes.removal`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Span, Token
from barthes.annotation.pipeline import load_english
from barthes.narrative import Narrative
from barthes.removal.removal import Removed, delete_sentences
from barthes.removal.rewriting import anonymize, copy_case, is_verb, name_do_form
from barthes_research.corpora.tale import Tale

_BE = frozenset(["am", "is", "are", "was", "were"])
_TAGGING = ("tok2vec", "tagger")  # components of the pipeline


def release_removals(tale: Tale) -> dict[str, list[Removed]]:
    """Return the replacement of each sentence of `tale.token_narrative`, by method; it is tagged once."""
    tags = tag_words(tale.words)
    words = [list(map(_anonymize_verb, *pair)) for pair in zip(tale.words, tags, strict=True)]
    return {
        "sd": delete_sentences(tale.token_narrative),
        "va": [Removed(index, " ".join(sentence)) for index, sentence in enumerate(words)],
        "paa": _anonymize_arguments(words, move_annotation(tale.annotation, words, tags)),
    }


def tag_words(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return spaCy's Penn tag of every word, without tokenizing again; sentences are tagged one by one.

    >>> tag_words([["The", "wolf", "was", "n't", "hungry", "."]])
    [['DT', 'NN', 'VBD', 'RB', 'JJ', '.']]
    """
    from spacy.tokens import Doc

    pipeline = load_english()
    docs = [Doc(pipeline.vocab, words=list(words)) for words in sentences]
    others = [name for name in pipeline.pipe_names if name not in _TAGGING]
    return [[token.tag_ for token in doc] for doc in pipeline.pipe(docs, disable=others)]


def move_annotation(
    annotation: Annotation,
    words: Sequence[Sequence[str]],
    tags: Sequence[Sequence[str]] | None = None,
) -> Annotation:
    """Move an annotation onto other spellings of its tokens, joined by spaces, perhaps with other tags.

    >>> quote, wolf = Token(0, 1, '"', "``"), Token(1, 5, "Wolf", "NN")
    >>> annotation = Annotation((SentenceAnnotation((quote, wolf)),))
    >>> [token.span for token in move_annotation(annotation, [["``", "Wolf"]]).tokens]
    [(0, 2), (3, 7)]
    """
    kept = tags or [[token.tag for token in sentence.tokens] for sentence in annotation]
    moved = []
    for known, sentence, spelt, tagged in zip(annotation, _join(words), words, kept, strict=True):
        tokens = tuple(_place(known.tokens, spelt, tagged, sentence.start))
        events = tuple(_move_event(event, known.tokens, tokens) for event in known.events)
        moved.append(SentenceAnnotation(tokens, events))
    return Annotation(tuple(moved))


def _anonymize_verb(word: str, tag: str) -> str:
    if not is_verb(Token(0, len(word), word, tag)):
        return word
    any_verb = Token(0, 4, "sing", tag)
    return copy_case("be" if word.lower() in _BE else name_do_form([any_verb], 0), word)


def _anonymize_arguments(words: Sequence[Sequence[str]], annotation: Annotation) -> list[Removed]:
    """Return the sentences, whose verbs are anonymised already, without their participants."""
    removals = []
    for sentence, known in zip(_join(words), annotation, strict=True):
        arguments = [argument for event in known.events for argument in event.arguments]
        removals.append(Removed(sentence.index, anonymize(sentence, known, (), arguments)))
    return removals


def _join(words: Iterable[Sequence[str]]) -> Narrative:
    return Narrative.from_sentences([" ".join(sentence) for sentence in words])


def _place(
    tokens: Sequence[Token], words: Sequence[str], tags: Sequence[str], position: int
) -> Iterable[Token]:
    for token, word, tag in zip(tokens, words, tags, strict=True):
        yield Token(position, position + len(word), word, tag, token.auxiliary)
        position += len(word) + 1


def _move_event(event: Event, old: Sequence[Token], new: Sequence[Token]) -> Event:
    places = {before.span: after for before, after in zip(old, new, strict=True)}
    arguments = [(each.role, [_move_span(span, old, new) for span in each.spans]) for each in event.arguments]
    return Event(
        places[event.predicate.span],
        tuple(Argument(role, tuple(filter(None, spans))) for role, spans in arguments if any(spans)),
        tuple(places[token.span] for token in event.particles),
        event.frame,
    )


def _move_span(span: Span, old: Sequence[Token], new: Sequence[Token]) -> Span | None:
    """Return where the tokens inside a span have moved; None without any."""
    pairs = zip(old, new, strict=True)
    inside = [after for before, after in pairs if span[0] <= before.start and before.end <= span[1]]
    return (inside[0].start, inside[-1].end) if inside else None
