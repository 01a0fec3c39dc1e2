#!/usr/bin/env python3
"""Measure predicted predicates, ARG0 and ARG1 (spaCy's parse and our rules) against the gold annotation.

    python benchmarks/annotation.py [PROPPLEARNER]

The default corpus is data/propplearner in the folder BARTHES_SHARED, or in ../shared beside the repository.
The rules were developed on its first five tales; the other ten are test data.

- **predicates** agree if they start at the same character. Gold predicates are verbs, including copulas but
  not auxiliaries and modals. The gold annotation also marks speech without a verb of saying at its opening
  quotation mark; these predicates and their arguments are excluded (the last lines print F1 with them).
- **heads** agree if predicate, role and head word agree. The head of a span is the word with the fewest
  heads above it in the gold tree, or the first of several.
- **spans** agree if predicate, role and all words agree, ignoring punctuation.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Argument, Event, SentenceAnnotation
from barthes_research.corpora.propplearner import ProppLearner
from barthes_research.corpora.tale import Tale
from barthes_research.corpora.trees import Tree

SHARED = Path(os.environ.get("BARTHES_SHARED", Path(__file__).resolve().parents[3] / "shared"))
ROLES = ("ARG0", "ARG1")
DEVELOPMENT = 5
"""The rules were developed on the tales with this number or a lower one."""

_NOUNS = ("NN", "PRP", "CD", "DT", "JJ", "EX", "WP", "WDT", "FW", "VBG")
_HEADS = {  # children that may contain a constituent's head, best first; otherwise the last word does
    "VP": ("VP", "VB", "MD", "TO"),
    "S": ("VP", "S", "SBAR", "NP"),
    "SQ": ("VP", "VB", "MD", "SQ"),
    "SINV": ("VP", "VB", "MD", "S"),
    "SBAR": ("S", "SQ", "SINV", "SBAR", "WH"),
    "SBARQ": ("SQ", "S", "SBARQ"),
    "PP": ("NP", "S", "PP"),
    "WHPP": ("WHNP",),
    "ROOT": ("S", "NP"),
}


@dataclass
class Agreement:
    """The number of items in both annotations, and in each."""

    both: int = 0
    predicted: int = 0
    gold: int = 0

    def add(self, predicted: set[object], gold: set[object]) -> None:
        self.both += len(predicted & gold)
        self.predicted += len(predicted)
        self.gold += len(gold)

    @property
    def precision(self) -> float:
        return self.both / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.both / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        total = self.predicted + self.gold
        return 2 * self.both / total if total else 0.0


class HeadFinder:
    """Find the head words of spans of a sentence in its gold tree."""

    def __init__(self, sentence: SentenceAnnotation, tree: Tree) -> None:
        self._tree = tree
        leaves = [i for i, leaf in enumerate(tree.leaves) if leaf.token is not None]
        tokens = dict(zip(leaves, sentence.tokens, strict=True))
        self._starts = {leaf: token.start for leaf, token in tokens.items()}
        self._words = {leaf for leaf, token in tokens.items() if any(map(str.isalnum, token.text))}
        self._children: dict[int | None, list[int]] = defaultdict(list)
        for number, node in enumerate(tree.nodes):
            self._children[node.parent].append(number)

    def words(self, argument: Argument) -> frozenset[int]:
        """Return the leaves of an argument without punctuation."""
        inside = (leaf for leaf in self._words for a, b in argument.spans if a <= self._starts[leaf] < b)
        return frozenset(inside)

    def head(self, argument: Argument) -> int | None:
        """Return the leaf of the head of an argument, or None if it contains no word."""
        words = sorted(self.words(argument))
        return min(words, key=self._depth) if words else None

    def _depth(self, leaf: int) -> int:
        """Return the number of heads above a word."""
        depth = 0
        number: int | None = self._tree.leaves[leaf].node
        while number is not None:
            if self._descend(number) != leaf:
                leaf, depth = self._descend(number), depth + 1
            number = self._tree.nodes[number].parent
        return depth

    def _descend(self, number: int) -> int:
        while children := self._children[number]:
            number = self._choose(self._tree.nodes[number].label, children)
        return self._tree.nodes[number].start

    def _choose(self, label: str, children: list[int]) -> int:
        worded = [child for child in children if self._has_word(child)] or children
        labels = {child: self._tree.nodes[child].label for child in worded}
        kind = label.split("-")[0]
        if kind in ("NP", "WHNP", "NX", "QP"):
            if nouns := [child for child in worded if labels[child].startswith("NN")]:
                return nouns[-1]
            if phrases := [child for child in worded if labels[child].startswith(("NP", "WHNP", "NX", "S"))]:
                return phrases[0]
            named = [child for child in worded if labels[child].startswith(_NOUNS)]
            return (named or worded)[-1]
        for wanted in _HEADS.get(kind, ()):
            for child in worded:
                if labels[child].startswith(wanted) and (wanted, labels[child][:4]) != ("S", "SBAR"):
                    return child
        return worded[-1]

    def _has_word(self, number: int) -> bool:
        node = self._tree.nodes[number]
        return not self._words.isdisjoint(range(node.start, node.end))


def measure(tales: Iterable[Tale]) -> dict[str, Agreement]:
    """Return the agreement on predicates, and on heads and spans of each role."""
    result: dict[str, Agreement] = defaultdict(Agreement)
    for tale in tales:
        predicted = annotate(tale.narrative)
        predicted.check(tale.narrative)
        for found, gold, tree in zip(predicted, tale.annotation, tale.trees, strict=True):
            if tree is not None and len(tree.tokens) == len(gold.tokens):
                compare(found, gold, HeadFinder(gold, tree), result)
    return result


def compare(
    found: SentenceAnnotation, gold: SentenceAnnotation, finder: HeadFinder, result: dict[str, Agreement]
) -> None:
    """Add a sentence to the result."""
    events = [event for event in gold.events if event.verbal]
    starts: list[set[object]] = [{event.predicate.start for event in each} for each in (found.events, events)]
    result["predicates"].add(*starts)
    for role in ROLES:
        heads = [set(list_heads(each, role, finder)) for each in (found.events, events)]
        spans = [set(list_spans(each, role, finder)) for each in (found.events, events)]
        for name in (role, "ARG0+ARG1"):
            result[f"{name} heads"].add(*heads)
            result[f"{name} spans"].add(*spans)


def list_heads(events: Iterable[Event], role: str, finder: HeadFinder) -> Iterator[object]:
    for event in events:
        for argument in event.with_role(role):
            yield event.predicate.start, finder.head(argument)


def list_spans(events: Iterable[Event], role: str, finder: HeadFinder) -> Iterator[object]:
    for event in events:
        for argument in event.with_role(role):
            yield event.predicate.start, finder.words(argument)


def with_more(agreement: Agreement, missed: int) -> float:
    """Return F1 with additional missed gold items."""
    return 2 * agreement.both / (agreement.predicted + agreement.gold + missed)


def print_table(title: str, result: dict[str, Agreement]) -> None:
    print(f"\n{title}\n| | precision | recall | F1 | gold | predicted |\n|---|---|---|---|---|---|")
    for name in ("predicates", *(f"{r} {w}" for w in ("heads", "spans") for r in (*ROLES, "ARG0+ARG1"))):
        a = result[name]
        print(f"| {name} | {a.precision:.3f} | {a.recall:.3f} | {a.f1:.3f} | {a.gold} | {a.predicted} |")


def print_speed(tale: Tale, *, runs: int = 3) -> None:
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        count = len(annotate(tale.narrative).tokens)
        seconds.append(time.perf_counter() - began)
    print(f"\n{tale.name}: {count} tokens annotated in {min(seconds):.2f} s (best of {runs})")


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("corpus", type=Path, nargs="?", default=SHARED / "data" / "propplearner")
    corpus = ProppLearner(parser.parse_args().corpus)
    development = [tale for tale in corpus if tale.number is not None and tale.number <= DEVELOPMENT]
    test = [tale for tale in corpus if tale not in development]
    whole = measure(corpus)
    print_table("All tales", whole)
    print_table(f"Tales 1 to {DEVELOPMENT} (development)", measure(development))
    print_table("Other tales (test)", measure(test))
    excluded = [event for tale in corpus for event in tale.annotation.events if not event.verbal]
    count = sum(argument.role in ROLES for event in excluded for argument in event.arguments)
    print(f"\n{len(excluded)} gold predicates that are not verbs were excluded, with {count} arguments.")
    print(f"Including them, F1 would be {with_more(whole['predicates'], len(excluded)):.3f} for predicates")
    print(f"and {with_more(whole['ARG0+ARG1 heads'], count):.3f} for heads.")
    print_speed(next(tale for tale in corpus if tale.name == "story8"))


if __name__ == "__main__":
    main()
