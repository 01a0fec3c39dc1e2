"""Find the arguments of a verb, ARG0 (agent) and ARG1 (patient), in spaCy's dependencies.

An active verb's subject is ARG0 and its object or clause ARG1; a passive verb's subject is ARG1 and its agent
ARG0. `barthes.annotation.frames` lists the exceptions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from barthes.annotation import frames
from barthes.annotation.predicates import crosses_quotation, find_owned, find_owner, is_verb
from barthes.annotation.subjects import (
    SUBJECTS,
    find_inverted,
    find_subject,
    is_infinitive,
    is_passive,
    resolve_relative,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_WH_TAGS = ("WDT", "WP", "WP$", "WRB")


def find_arguments(verb: Token) -> Iterator[tuple[str, list[Token]]]:
    """Yield the roles of a verb with their tokens in text order, without direct speech."""
    for role, heads in _assign(verb):
        tokens = sorted({token for head in heads for token in _find_phrase(head, verb)}, key=lambda t: t.i)
        if tokens:
            yield role, tokens


def _assign(verb: Token) -> Iterator[tuple[str, list[Token]]]:
    """Yield the roles with the heads of their phrases."""
    subject, thing, clause = find_subject(verb), _find_object(verb), _find_clause(verb)
    if is_passive(verb):
        yield from _assign_passive(verb, subject, thing, clause)
        return
    lemma = verb.lemma_
    is_theme = lemma in frames.UNACCUSATIVES or lemma in frames.THEME_SUBJECTS
    is_theme = is_theme or (lemma in frames.ERGATIVES and thing is None)
    if subject is not None:
        yield "ARG1" if is_theme else "ARG0", [subject]
    if is_theme or lemma in frames.REPLIES:
        return
    affected = thing or clause or _find_prepositional(verb)
    if thing is not None and clause is not None and lemma in frames.RAISING:
        yield "ARG1", [thing, clause]
    elif affected is not None and affected != subject:
        yield "ARG1", [affected]


def _assign_passive(
    verb: Token, subject: Token | None, thing: Token | None, clause: Token | None
) -> Iterator[tuple[str, list[Token]]]:
    by = next((child for child in verb.children if child.dep_ == "agent"), None)
    agent = None if by is None else next((child for child in by.children if child.dep_ == "pobj"), None)
    if agent is not None:
        yield "ARG0", [agent]
    content = clause if verb.lemma_ in frames.HEARER_VERBS else None
    affected = thing or content or subject  # *he was given **a ring***, *he was told **to go***
    if affected is not None:
        yield "ARG1", [affected]


def _find_object(verb: Token) -> Token | None:
    """Return the head of the verb's own, shared or relative object."""
    if owned := find_owned(verb):
        return owned
    inverted = find_inverted(verb)
    own = [child for child in verb.children if child.dep_ == "dobj" and child != inverted]
    own = [child for child in own if not crosses_quotation(child, verb)]
    things = [child for child in own if not _hears(child, verb)]
    if own:
        return resolve_relative(things[-1], verb) if things else None
    if verb.lemma_ in frames.UNACCUSATIVES or verb.lemma_ in frames.INTRANSITIVES or inverted is not None:
        return None
    return _find_shared_object(verb) or _find_gap(verb)


def _hears(token: Token, verb: Token) -> bool:
    """Return whether an object is the recipient: the person who is told, shown or paid something."""
    if verb.lemma_ in frames.HEARER_VERBS:
        return token.lower_ not in frames.CONTENTS and token.lemma_ not in frames.CONTENTS
    if verb.lemma_ in frames.RECIPIENT_VERBS:
        is_person = token.tag_ in ("NNP", "PRP") and token.lower_ != "it"
        return is_person or _find_clause(verb) is not None
    return False


def _find_shared_object(verb: Token) -> Token | None:
    """Return ***the wolf*** in *killed and ate the wolf*."""
    if any(child.dep_ in ("ccomp", "prep", "xcomp") for child in verb.children):
        return None
    joined = next((child for child in verb.children if child.dep_ == "conj" and is_verb(child)), None)
    if joined is None or joined.i != verb.i + 2 or verb.nbor(1).tag_ != "CC":
        return None
    shared = next((child for child in joined.children if child.dep_ == "dobj"), None)
    return shared and resolve_relative(shared, joined)


def _find_gap(verb: Token) -> Token | None:
    """Return the noun that an objectless clause modifies: ***the bread** she baked*, ***bread** to eat*."""
    if is_passive(verb) or any(_fills_gap(child, verb) for child in verb.children):
        return None
    if verb.dep_ in ("acl", "relcl") and is_infinitive(verb):
        return verb.head
    if verb.dep_ == "relcl":
        has_subject = any(child.dep_ in SUBJECTS for child in verb.children)
        asks = any(token.tag_ in _WH_TAGS for token in verb.doc[verb.left_edge.i : verb.i])
        return verb.head if has_subject and not asks else None
    return None


def _fills_gap(child: Token, verb: Token) -> bool:
    """Return whether a clause or preposition is in place of the object: *the house she lived **in***."""
    is_stranded = child.dep_ == "prep" and not any(True for _ in child.children)
    return child.dep_ in ("ccomp", "xcomp") or is_stranded or _introduces(child, verb)


def _introduces(child: Token, verb: Token) -> bool:
    """Return whether a preposition introduces the verb's ARG1: *look **at** it*."""
    return child.dep_ == "prep" and f"{verb.lemma_}:{child.lower_}" in frames.PREPOSITIONAL


def _find_clause(verb: Token) -> Token | None:
    """Return the clause that is the verb's object: *began **to sing***, *knew **that he lied***."""
    if verb.lemma_ in frames.INTRANSITIVES:
        return None  # *ran to see it*: a purpose
    clauses = [child for child in verb.children if child.dep_ in ("ccomp", "xcomp")]
    return next((clause for clause in clauses if _depends(clause, verb)), None)


def _depends(clause: Token, verb: Token) -> bool:
    """Return whether a clause really depends on its verb; the parser also subordinates across semicolons."""
    if clause.i < verb.i and verb.lemma_ not in frames.SPEECH_VERBS:
        return False
    first, last = sorted((clause.i, verb.i))
    return not any(token.text == ";" for token in verb.doc[first:last])


def _find_prepositional(verb: Token) -> Token | None:
    """Return the noun after a preposition of the verb's frame: *look at **it***."""
    for child in verb.children:
        if _introduces(child, verb):
            noun = next((token for token in child.children if token.dep_ in ("pobj", "pcomp")), None)
            return noun and resolve_relative(noun, verb)
    return None


def _find_phrase(head: Token, verb: Token) -> list[Token]:
    """Return the tokens under a head, without the verb's branch, owner and punctuation at the ends."""
    branch = verb
    while branch != head and branch.head != head and branch.head != branch:
        branch = branch.head
    skipped = (branch, find_owner(head, verb))
    tokens, waiting = [], [head]
    while waiting:  # not `subtree`, which goes as deep as the clauses are nested
        token = waiting.pop()
        tokens.append(token)
        waiting += [child for child in token.children if child not in skipped]
    words = [token.i for token in tokens if any(map(str.isalnum, token.text))]
    return [token for token in tokens if words and min(words) <= token.i <= max(words)]
