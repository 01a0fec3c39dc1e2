"""Count in how many tales each word occurs, and write the bundled table of TF-IDF.

    python scripts/count_document_frequencies.py FOLDER ../src/…/document_frequencies.tsv.gz

FOLDER contains books of tales in the plain-text layout of Project Gutenberg, one per file:

- A short paragraph after three or more blank lines is a heading; the text up to the next heading is a tale.
  Subheadings have fewer blank lines before them and do not divide a tale.
- Prefaces, contents, lists of illustrations and the like, and sections of fewer than 60 words, are not tales.
- The heading "Notes" ends the tales of a book.
- Captions of pictures, footnote numbers and the underscores of italics are removed.
- A tale that shares half of its six-word sequences with earlier tales is a repetition and is not counted.

Words in fewer than `--minimum` tales, mostly names and misprints, are dropped.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.words import count_words, split_words

LONGEST_HEADING = 120  # characters; the longest title in our books has 84
SHORTEST_TALE = 60  # words; the shortest tale there has 131
RUN = 6  # words; two translations of a tale share few sequences of this length

_HEADING_GAP = re.compile(r"(?:[ \t]*\n){4,}")  # the end of a line and three blank lines
_PARAGRAPH_GAP = re.compile(r"\n[ \t]*\n")
_NO_TALE = re.compile(
    r"(?:the )?(?:table of )?contents|preface|foreword|introduction|dedication"
    r"|(?:(?:author|editor|preparer|transcriber)'s )?note"
    r"|(?:a )?(?:list of |full-page )?(?:colou?r plates|illustrations)"
    r"|how to get into this book|oyez-oyez-oyez"  # Jacobs: before his first tale and after his last
)
_END_OF_TALES = re.compile(r"notes(?: and references)?|glossary|index")
_MARKUP = re.compile(r"\[Illustration[^\]]*\]|\(\d+\)|_")


def split_tales(book: str) -> Iterator[tuple[str, str]]:
    r"""Yield the tales of a book as (title, text), without front matter and notes.

    >>> book = "A BOOK\n\n\n\nPREFACE\n\nDear reader.\n\n\n\nTHE WOLF\n\n" + "Wolf. " * 60
    >>> [(title, len(text)) for title, text in split_tales(book)]
    [('THE WOLF', 359)]
    """
    for section in _HEADING_GAP.split(book.replace("\r\n", "\n")):
        heading, text = _split_heading(section.strip("\n"))
        name = heading.lower().replace("’", "'").strip(" _.:")
        if _END_OF_TALES.fullmatch(name):
            return
        tale = _MARKUP.sub("", text).strip()
        if heading and not _NO_TALE.fullmatch(name) and count_words(tale) >= SHORTEST_TALE:
            yield heading, tale


def _split_heading(section: str) -> tuple[str, str]:
    """Return the first paragraph if it is short enough for a heading, and the rest."""
    first, *rest = _PARAGRAPH_GAP.split(section, maxsplit=1)
    heading = " ".join(first.split())
    return (heading, "".join(rest)) if len(heading) <= LONGEST_HEADING else ("", section)


def drop_repeats(tales: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yield tales, given as words, without those that repeat earlier ones."""
    seen: set[tuple[str, ...]] = set()
    for words in tales:
        plain = [word.lower() for word in words if word[0].isalnum()]
        ngrams = {tuple(plain[i : i + RUN]) for i in range(len(plain) - RUN + 1)}
        if 2 * len(ngrams & seen) < len(ngrams):
            yield words
        seen |= ngrams


def read_tales(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the book, the title and the words of every tale in a folder."""
    for path in sorted(folder.glob("*.txt")):
        for title, text in split_tales(path.read_text(encoding="utf-8")):
            yield path.name, title, split_words(text)


def count_tales(tales: Iterable[list[str]], *, minimum: int) -> DocumentFrequencies:
    """Return the document frequencies of distinct tales, of words in at least `minimum` tales."""
    frequencies = DocumentFrequencies.count(drop_repeats(tales))
    kept = {word: count for word, count in frequencies.counts.items() if count >= minimum}
    return DocumentFrequencies(frequencies.documents, kept)


def main() -> None:
    """Count, write the table, and print a summary."""
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="books of tales as .txt files")
    parser.add_argument("out", type=Path, help="output file (.tsv.gz)")
    parser.add_argument("--minimum", type=int, default=2, help="fewest tales per word (default 2)")
    arguments = parser.parse_args()

    tales = list(read_tales(arguments.folder))
    if not tales:
        parser.error(f"no tales found in the .txt files of {arguments.folder}")
    for book, title, words in tales:
        print(f"{book}\t{title}\t{len(words)}")
    frequencies = count_tales((words for _, _, words in tales), minimum=arguments.minimum)
    frequencies.save(arguments.out)
    print(f"{len(tales)} tales, {frequencies.documents} distinct, {len(frequencies.counts)} words")


if __name__ == "__main__":
    main()
