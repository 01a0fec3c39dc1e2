"""Document frequencies of words: of a corpus, or bundled with the package.

``research/scripts/count_document_frequencies.py`` counted the bundled table in public-domain folk and fairy
tales in English. One tale is one document; words of a single tale are left out.
"""

from __future__ import annotations

import functools
import gzip
import importlib.resources
import itertools
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from barthes.annotation.events import PENN_SIGNS
from barthes.baselines.words import Tokenize, split_narrative
from barthes.errors import ReadingError
from barthes.files import write_atomically
from barthes.narrative import Narrative

_HEADER = "documents"
_BUNDLED = "data/document_frequencies.tsv.gz"
_PLAIN = {sign.lower(): plain for sign, plain in PENN_SIGNS.items()}


@dataclass(frozen=True)
class DocumentFrequencies:
    """How many of N documents each lower-cased word occurs in.

    Attributes:
        documents: N.
        counts: df for each word, at most N, 0 for missing words; fractional in a sum of tables.

    >>> frequencies = DocumentFrequencies.count([["The", "wolf"], ["the", "rain"]])
    >>> frequencies.documents, frequencies.counts["the"], frequencies.counts["wolf"]
    (2, 2, 1)
    >>> frequencies.idf("the")
    1.0
    """

    documents: int
    counts: Mapping[str, float]

    def __post_init__(self) -> None:
        most = max(self.counts.values(), default=0)
        if most > self.documents or min(self.counts.values(), default=0) < 0:
            raise ValueError(f"a word occurs in 0 to {self.documents} of {self.documents} documents")

    @classmethod
    def count(cls, documents: Iterable[Iterable[str]]) -> DocumentFrequencies:
        """Count documents given as their words."""
        counts: Counter[str] = Counter()
        total = 0
        for words in documents:
            counts.update({word.lower() for word in words})
            total += 1
        return cls(total, dict(counts))

    @classmethod
    def from_narratives(
        cls, narratives: Iterable[Narrative], *, tokenize: Tokenize = split_narrative
    ) -> DocumentFrequencies:
        """Count a corpus; one story is one document."""
        return cls.count(itertools.chain.from_iterable(tokenize(narrative)) for narrative in narratives)

    @classmethod
    @functools.cache
    def bundled(cls) -> DocumentFrequencies:
        """Return the bundled table, read once per process.

        >>> DocumentFrequencies.bundled().counts["wolf"] > DocumentFrequencies.bundled().counts["tsar"]
        True
        """
        with importlib.resources.as_file(importlib.resources.files("barthes.baselines") / _BUNDLED) as path:
            return cls.load(path)

    @classmethod
    def load(cls, path: str | Path) -> DocumentFrequencies:
        """Read a table written by `save`."""
        try:
            lines = gzip.decompress(Path(path).read_bytes()).decode("utf-8").removesuffix("\n").split("\n")
            rows = [(word, int(count)) for word, count in (line.split("\t") for line in lines)]
            (header, documents), *words = rows
            if header != _HEADER:
                raise ValueError(f"the table starts with {header!r}, not {_HEADER!r}")
            return cls(documents, dict(words))
        except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ReadingError(
                "is not a table of document frequencies.",
                where=path,
                remedy="DocumentFrequencies.load reads what DocumentFrequencies.save wrote.",
            ) from error
        except OSError as error:
            raise ReadingError(f"cannot be read ({error.strerror}).", where=path) from error

    def save(self, path: str | Path) -> None:
        """Write a gzipped table: N, then ``word⇥df`` sorted. Equal tables give the same bytes."""
        rows = [(_HEADER, self.documents), *sorted(self.counts.items())]
        lines = "".join(f"{word}\t{count}\n" for word, count in rows)
        write_atomically(Path(path), gzip.compress(lines.encode("utf-8"), compresslevel=9, mtime=0))

    def idf(self, word: str) -> float:
        """Return ln((1 + N) / (1 + df)) + 1; at least 1, and finite for unknown words."""
        return math.log((1 + self.documents) / (1 + self.counts.get(word, 0))) + 1

    def including(self, words: Iterable[str]) -> DocumentFrequencies:
        """Return the counts with one more document, made of `words`."""
        more = {word: self.counts.get(word, 0) + 1 for word in map(str.lower, words)}
        return DocumentFrequencies(self.documents + 1, {**self.counts, **more})

    def add_scaled(
        self, table: DocumentFrequencies, *, documents: int, words: Iterable[str]
    ) -> DocumentFrequencies:
        """Return the counts of `words` plus those of `table`, scaled to that many `documents`.

        Penn Treebank tokens such as -LRB- are looked up as the characters that they stand for.

        >>> small = DocumentFrequencies(2, {"wolf": 1, "the": 2})
        >>> large = DocumentFrequencies(100, {"wolf": 10, "the": 100})
        >>> both = small.add_scaled(large, documents=10, words=["the", "wolf", "tsar"])
        >>> both.documents, dict(both.counts)
        (12, {'the': 12.0, 'wolf': 2.0, 'tsar': 0.0})
        """

        def look_up(word: str) -> float:
            return documents * table.counts.get(_PLAIN.get(word, word), 0) / table.documents

        counts = {word: self.counts.get(word, 0) + look_up(word) for word in words}
        return DocumentFrequencies(self.documents + documents, counts)
