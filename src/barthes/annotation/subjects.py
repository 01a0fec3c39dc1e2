"""Find the subject of a verb: its own, or one shared with a verb above it in the parse.

Shared subjects: *he came and **took** it*, *she began to **sing***, *seeing this, he left*. Relative pronouns
are replaced by their antecedent: *the dog* in *the dog that came*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barthes.annotation import frames
from barthes.annotation.predicates import (
    crosses_quotation,
    find_owned,
    find_owner,
    is_quotation_mark,
    is_verb,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
_RELATIVES = ("WDT", "WP")
_NOUNS = ("NN", "NNP", "NNPS", "NNS")
_FINITE = ("VBD", "VBP", "VBZ")
_PARTICIPIAL = ("acl", "advcl", "amod", "ccomp", "oprd", "relcl", "xcomp")
_CLIMB = 20  # most steps up the parse to a shared subject; far more than real sentences need


def find_subject(verb: Token, *, steps: int = _CLIMB) -> Token | None:
    """Return the head of a verb's subject, or None (as for most imperatives)."""
    if owned := find_owned(verb):
        return find_owner(owned, verb)
    own = [child for child in verb.children if child.dep_ in SUBJECTS and not crosses_quotation(child, verb)]
    if own and verb.lemma_ in frames.WEATHER and own[0].lower_ == "it":
        return None
    if own:
        return resolve_relative(min(own, key=lambda child: abs(child.i - verb.i)), verb)
    inverted = find_inverted(verb)
    if inverted is not None or steps == 0:
        return inverted
    return _find_vocative(verb) or _find_shared(verb, steps - 1)


def find_inverted(verb: Token) -> Token | None:
    """Return a subject after its verb to which the parser gives another relation.

    *There was **a king***; *in the box lay **an egg***; *"Why?" asked **the king***.
    """
    if any(child.dep_ in SUBJECTS and not crosses_quotation(child, verb) for child in verb.children):
        return None
    after = [child for child in verb.children if child.i > verb.i and not crosses_quotation(child, verb)]
    before = [child for child in verb.children if child.i < verb.i]
    if any(child.dep_ == "expl" for child in verb.children):
        return _first(after, "attr", "dobj")
    if any(child.dep_ in ("prep", "advmod") for child in before) and verb.tag_ in _FINITE:
        if verb.lemma_ == "be":
            return _first(after, "attr")
        if verb.lemma_ in frames.UNACCUSATIVES or verb.lemma_ in frames.ERGATIVES:
            return _first(after, "attr", "dobj") if verb.dep_ != "conj" else None
    if verb.lemma_ in frames.SPEECH_VERBS and verb.i and is_quotation_mark(verb.nbor(-1)):
        return _first(after, "dobj", "attr", "npadvmod")
    return None


def is_passive(verb: Token) -> bool:
    """Return whether a verb is passive: *was **taken***, *a house **built** on sand*."""
    if verb.lemma_ in frames.UNACCUSATIVES or verb.lemma_ in frames.INTRANSITIVES:
        return False
    if any(child.dep_ in ("nsubjpass", "auxpass", "csubjpass") for child in verb.children):
        return True
    if verb.tag_ != "VBN" or any(child.dep_ == "aux" for child in verb.children):
        return False
    if verb.dep_ == "conj" and is_verb(verb.head):
        return is_passive(verb.head)
    return verb.dep_ in _PARTICIPIAL


def is_infinitive(verb: Token) -> bool:
    """Return whether *to* stands before the verb."""
    return any(child.tag_ == "TO" and child.dep_ == "aux" for child in verb.children)


def resolve_relative(token: Token, verb: Token) -> Token | None:
    """Return the antecedent of a relative pronoun, None if it is not found; any other token itself."""
    if token.tag_ not in _RELATIVES:
        return token
    clause = verb
    while clause.dep_ in ("ccomp", "conj", "xcomp") and is_verb(clause.head):
        clause = clause.head
    if clause.dep_ == "relcl":
        return clause.head
    return _find_antecedent(token) if _is_relative(token) else token


def _is_relative(token: Token) -> bool:
    """Return whether a pronoun whose clause the parser attached to no noun is relative, not a question."""
    if token.i == 0 or token.lower_ not in ("that", "which", "who", "whom"):
        return False
    before = token.nbor(-1)
    if token.lower_ == "that":
        return not before.is_punct  # after a comma rather a demonstrative: *No, that is a wolf*
    is_joined = before.tag_ == "CC" and token.head.dep_ == "conj"  # *the hat that he wore and which fell*
    return before.text == "," or before.tag_ in _NOUNS or is_joined or _is_cleft(before)


def _find_antecedent(token: Token) -> Token | None:
    """Return the noun right before a relative pronoun; None for the *that* of *such a rage that she wept*."""
    before = token.nbor(-1)
    is_conjunction = token.lower_ == "that" and token.dep_ not in SUBJECTS
    return before if not is_conjunction and (before.tag_ in _NOUNS or _is_cleft(before)) else None


def _is_cleft(token: Token) -> bool:
    """Return whether a pronoun is the one of *it was **he** who came*."""
    return token.tag_ == "PRP" and token.head.lemma_ == "be"


def _first(tokens: list[Token], *relations: str) -> Token | None:
    return next((token for token in tokens if token.dep_ in relations), None)


def _find_vocative(verb: Token) -> Token | None:
    """Return the addressee of an imperative: ***Moon**, light my way!*"""
    if verb.tag_ != "VB" or any(child.dep_ == "aux" and child.lower_ != "do" for child in verb.children):
        return None
    nouns = [child for child in verb.children if child.dep_ == "npadvmod" and child.pos_ in ("NOUN", "PROPN")]
    return next((noun for noun in nouns if _is_set_off(noun)), None)


def _is_set_off(noun: Token) -> bool:
    """Return whether a noun phrase is enclosed by punctuation or the sentence's ends."""
    doc, first, last = noun.doc, noun.left_edge.i, noun.right_edge.i
    return (first == 0 or doc[first - 1].is_punct) and (last + 1 == len(doc) or doc[last + 1].is_punct)


def _find_shared(verb: Token, steps: int) -> Token | None:
    head = verb.head
    if head == verb or crosses_quotation(verb, head):
        return None
    if verb.dep_ == "conj":
        return _find_conjoined(verb, steps)
    if verb.dep_ in ("acl", "relcl"):  # *bread to eat*: who has it; else the noun that a participle modifies
        return _find_governing(head, steps) if is_infinitive(verb) and not is_passive(verb) else head
    if verb.dep_ == "pcomp":
        return _find_governing(head, steps)
    if verb.dep_ not in ("advcl", "ccomp", "xcomp") or verb.tag_ in _FINITE:
        return None
    if not is_verb(head):
        return _find_predicative(verb, steps)
    if verb.dep_ == "ccomp" and verb.i < head.i:
        return None  # *Go home; I will come*: the parser subordinates an imperative
    if verb.dep_ == "xcomp" or (head.lemma_ in frames.CAUSATIVES and verb.tag_ == "VB"):
        return _find_controller(head, steps)
    return find_subject(head, steps=steps)


def _find_conjoined(verb: Token, steps: int) -> Token | None:
    """Return the subject of the verb that this verb is joined to by *and*; imperatives share none."""
    head = verb.head
    while head.dep_ == "conj" and not is_verb(head):
        head = head.head
    if not is_verb(head):
        return None
    helped = any(child.dep_ == "aux" for child in verb.children)
    is_bare = verb.tag_ == "VB" and not helped and verb.lemma_ not in frames.UNCHANGING
    return None if is_bare and head.tag_ in _FINITE else find_subject(head, steps=steps)


def _find_controller(head: Token, steps: int) -> Token | None:
    """Return the subject of an infinitive: the object of the verb above it, or that verb's subject."""
    if head.lemma_ not in frames.SUBJECT_CONTROL:
        objects = [child for child in head.children if child.dep_ in ("dative", "dobj")]
        persons = [child for child in objects if child.pos_ != "ADP"]  # not the *to* of *to him*
        if persons:
            return resolve_relative(persons[0], head)
    return find_subject(head, steps=steps)


def _find_predicative(verb: Token, steps: int) -> Token | None:
    """Return *he* in *he is able to **come***, but None in *it is time to **come***."""
    is_predicate = verb.head.dep_ in ("acomp", "attr", "conj") and is_verb(verb.head.head)
    return _without_it(find_subject(verb.head.head, steps=steps)) if is_predicate else None


def _find_governing(token: Token, steps: int) -> Token | None:
    """Return the subject of the verb above a noun or preposition; its object in *keep him from **going***."""
    keeps = token.lower_ == "from"
    while steps and token.head != token:
        if keeps and token.dep_ == "dobj":
            return token
        token, steps = token.head, steps - 1
        if is_verb(token):
            return _find_controller(token, steps) if keeps else _without_it(find_subject(token, steps=steps))
    return None


def _without_it(subject: Token | None) -> Token | None:
    """Return the subject, unless it is the empty *it* of *it is time to go*."""
    return None if subject is None or subject.lower_ == "it" else subject
