"""Rewrite a sentence: replace some verbs and arguments and keep every other character; forms of *do*."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Span, Token
from barthes.narrative import Narrative, Sentence
from barthes.removal.event_words import find_event_words
from barthes.removal.participants import PRONOUNS, find_participants, is_word

_OPENING = "\"'“„‘‚«‹「『([{*_"
_DASHES = "-–—"
_CLOSING = "\"'”’»›」』)]} \t\n"
_ENDING = ".!?:…"
_RESUMED = re.compile(r""",\s*["'”’»›」』][^.,!?:…]*,\s*["'“„‘‚«‹「『]$""")  # “Yes,” he said, “

_TAKES_NOT = ("do", "does", "did")
_EXPANDED = {
    ("n't", "RB"): "not",
    ("nt", "RB"): "not",
    ("'s", "PRP"): "us",
    ("na", "TO"): "to",
    ("ta", "TO"): "to",
}
_DO = {"VB": "do", "VBP": "do", "VBD": "did", "VBG": "doing", "VBN": "done", "VBZ": "does"}
_BE = frozenset("am are be been being is was were 'm 're 's ai art wast wert".split())
_AFTER_HAS = frozenset(["been", "got", "had"])


def rewrite(
    narrative: Narrative,
    index: int,
    annotation: Annotation,
    events: Iterable[Event],
    *,
    arguments: bool = False,
) -> str:
    """Anonymize some events of the sentence at `index`, with or without their ARG0 and ARG1.

    >>> wolf, ate, goat = Token(0, 4, "Wolf", "NN"), Token(5, 8, "ate", "VBD"), Token(9, 13, "goat", "NN")
    >>> event = Event(ate, (Argument("ARG0", (wolf.span,)), Argument("ARG1", (goat.span,))))
    >>> annotation = Annotation((SentenceAnnotation((wolf, ate, goat), (event,)),))
    >>> story = Narrative.from_sentences(["Wolf ate goat."])
    >>> rewrite(story, 0, annotation, [event]), rewrite(story, 0, annotation, [event], arguments=True)
    ('Wolf did goat.', 'Someone did something.')
    """
    chosen = list(events)
    verbs = {event.predicate.span for event in chosen if is_verb(event.predicate)}
    replaced = [argument for event in chosen for argument in event.arguments] if arguments else []
    return anonymize(narrative[index], annotation[index], verbs, replaced)


def anonymize(
    sentence: Sentence,
    annotation: SentenceAnnotation,
    verbs: Collection[Span],
    arguments: Iterable[Argument] = (),
) -> str:
    """Replace these verbs by forms of *do* and these arguments by *someone* and *something*."""
    return _join(sentence, _cut(sentence, annotation, verbs, find_participants(annotation, arguments)))


def delete_event(sentence: Sentence, annotation: SentenceAnnotation, event: Event) -> str:
    """Return what is left of a sentence without one event; empty if no word is left.

    >>> came, ate = Token(5, 9, "came", "VBD"), Token(14, 17, "ate", "VBD")
    >>> wolf, and_ = Token(0, 4, "Wolf", "NN"), Token(10, 13, "and", "CC")
    >>> events = [Event(verb, (Argument("ARG0", (wolf.span,)),)) for verb in (came, ate)]
    >>> annotation = SentenceAnnotation((wolf, came, and_, ate), tuple(events))
    >>> story = Narrative.from_sentences(["Wolf came and ate."])
    >>> [delete_event(story[0], annotation, event) for event in events]
    ['Wolf ate.', 'Wolf came.']
    """
    words = find_event_words(annotation, event)
    if words and len(words) == len(annotation.tokens):
        return ""
    roles = ["" if i in words else None for i in range(len(annotation.tokens))]
    return _join(sentence, _cut(sentence, annotation, (), roles))


@dataclass(frozen=True, slots=True)
class _Piece:
    """One or more adjacent tokens and the text that replaces them."""

    first: Token
    last: Token
    text: str  # empty if the tokens are dropped
    changed: bool = False  # whether the text was replaced
    begins: bool = False  # whether a sentence or quotation begins here


def _cut(
    sentence: Sentence, annotation: SentenceAnnotation, verbs: Collection[Span], roles: Sequence[str | None]
) -> Iterator[_Piece]:
    """Cut a sentence into pieces: one per token, and one per run of tokens with the same role."""
    tokens = annotation.tokens
    i = 0
    while i < len(tokens):
        first, role = i, roles[i]
        while role is not None and i + 1 < len(tokens) and roles[i + 1] == role:
            i += 1
        if role is not None:
            yield _replace_run(sentence, tokens, range(first, i + 1), role)
        elif tokens[i].span in verbs:
            yield _Piece(tokens[i], tokens[i], name_do_form(tokens, i), changed=True)
        else:
            yield _Piece(tokens[i], tokens[i], tokens[i].text)
        i += 1


def _replace_run(sentence: Sentence, tokens: Sequence[Token], run: range, role: str) -> _Piece:
    """Replace a run of tokens by *someone*, *Something*, *someone's* …, or by nothing if role is ""."""
    first, last = tokens[run.start], tokens[run.stop - 1]
    start, end = first.start - sentence.start, last.end - sentence.start
    source = sentence.text[start:end]
    begins = source[:1].isupper() and _begins(sentence.text[:start])
    if not role:
        return _Piece(first, last, "", begins=begins)
    word = PRONOUNS[role] + ("'s" if _possesses(tokens, run.stop) else "")
    if _is_shouted(source) and (len(run) > 1 or _is_shouted(sentence.text)):
        word = word.upper()
    return _Piece(first, last, word, changed=True, begins=begins)


def _possesses(tokens: Sequence[Token], stop: int) -> bool:
    """Return whether the run before `stop` ends in a possessive (*the king's*, *my*) and a word follows."""
    return stop < len(tokens) and tokens[stop - 1].tag in ("PRP$", "POS") and is_word(tokens[stop].text)


def _begins(before: str) -> bool:
    """Return whether a capital after these characters starts a sentence or quotation, not just a name.

    >>> _begins("He said, “"), _begins("“Yes,” he said. “"), _begins("“Yes,” he said, “")
    (True, True, False)
    """
    if before[-1:] in tuple(_OPENING):
        return _RESUMED.search(before) is None
    before = before.rstrip(_DASHES + _CLOSING)
    return not before or before[-1] in _ENDING


def _is_shouted(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) > 1


def _join(sentence: Sentence, pieces: Iterable[_Piece]) -> str:
    """Join the pieces with the white space of the sentence."""
    out: list[str] = []
    position, before, gap, capital = sentence.start, None, None, False
    for piece in pieces:
        space = sentence.text[position - sentence.start : piece.first.start - sentence.start]
        gap = space if gap is None or gap else ""  # keep one of the spaces around a dropped piece
        position, capital = piece.last.end, capital or piece.begins
        if piece.text:
            text = piece.text[0].upper() + piece.text[1:] if capital else piece.text
            out += [gap, text if gap or before is None else _attach(before, piece, text)]
            before, gap, capital = piece, None, False
    return "".join(out) + sentence.text[position - sentence.start :]


def _attach(before: _Piece, piece: _Piece, text: str) -> str:
    """Return a piece's text after another piece, with a space if a replacement needs one.

    *didn't* stays *didn't*, *wasn't* becomes *be not*, *he's* (is) *he be*, *let's* *do us*.
    """
    if before.changed and not piece.changed:
        form, tag = text.lower().replace("’", "'"), piece.first.tag
        if tag == "POS" and form in ("'", "'s"):
            return "'s"
        if (form, tag) in _EXPANDED:
            if tag == "RB" and before.text.lower() in _TAKES_NOT:
                return text
            return " " + copy_case(_EXPANDED[form, tag], text.lstrip("'’"))
    replaced = before.changed or piece.changed
    return f" {text}" if replaced and before.text[-1].isalnum() and text[0].isalnum() else text


def is_verb(token: Token) -> bool:
    """Return whether a token is tagged as a verb that has a form of *do*; modals have none.

    Taggers sometimes call a dash or a quotation mark a verb; a verb has at least one letter.
    """
    return token.tag in _DO and any(map(str.isalpha, token.text))


def name_do_form(tokens: Sequence[Token], position: int) -> str:
    """Return what replaces a verb: the form of *do* for its tag, or *be*, in the case of the verb.

    As in the paper's release, *am, is, are, was, were* become *be*; so do *be, been, being* and contractions.
    The next word distinguishes a contracted *has* (*he's been*) from *is*.

    >>> name_do_form([Token(0, 4, "Sang", "VBD")], 0), name_do_form([Token(0, 3, "was", "VBD")], 0)
    ('Did', 'be')
    """
    token = tokens[position]
    form = token.text.lower().replace("’", "'")
    is_be = form in _BE and not (form == "'s" and _follows_has(tokens[position + 1 :]))
    return copy_case("be" if is_be else _DO[token.tag], token.text)


def copy_case(word: str, model: str) -> str:
    """Return a word in the case of another one.

    >>> copy_case("did", "Sang"), copy_case("did", "SANG"), copy_case("be", "'M")
    ('Did', 'DID', 'BE')
    """
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


def _follows_has(rest: Sequence[Token]) -> bool:
    """Return whether the first word that is not an adverb can only follow *has*."""
    following = next((token for token in rest if not token.tag.startswith("RB")), None)
    return following is not None and following.text.lower() in _AFTER_HAS
