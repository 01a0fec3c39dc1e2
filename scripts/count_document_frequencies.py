"""Count in how many tales each word occurs, and write the table that TF-IDF ships with.

    python scripts/count_document_frequencies.py FOLDER src/barthes/baselines/data/document_frequencies.tsv.gz

FOLDER holds books of tales as plain text, one book a file, set the way Project Gutenberg sets them:

- A heading is a short paragraph after three or more blank lines; what follows it, up to the next
  heading, is one tale. Subheadings have fewer blank lines before them and do not divide a tale. (A book
  that sets one title too close to the tale before it yields one tale for two.)
- Sections whose heading says preface, contents, illustrations and the like are not tales; nor is a
  section of fewer than 60 words: a title page, a dedication.
- From the heading "Notes" on, a book is over.
- Captions of pictures, numbers of footnotes and the underscores of italics are taken out.
- A tale half of whose runs of six words stand in the tales before it is the same telling in another
  book, and counts once.

Words of fewer than `--minimum` tales are left out: mostly names and misprints.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.words import count_words, split_words

LONGEST_HEADING = 120  # characters; the longest title in the books that we counted has 84
SHORTEST_TALE = 60  # words; the shortest tale there has 131
RUN = 6  # words; translations of one tale by two people share few runs as long as this

_HEADING_GAP = re.compile(r"(?:[ \t]*\n){4,}")  # the end of a line, then three blank ones
_PARAGRAPH_GAP = re.compile(r"\n[ \t]*\n")
_NO_TALE = re.compile(
    r"(?:the )?(?:table of )?contents|preface|foreword|introduction|dedication"
    r"|(?:(?:author|editor|preparer|transcriber)'s )?note"
    r"|(?:a )?(?:list of |full-page )?(?:colou?r plates|illustrations)"
    r"|how to get into this book|oyez-oyez-oyez"  # Jacobs: before his first tale and after his last
)
_END_OF_TALES = re.compile(r"notes(?: and references)?|glossary|index")
_APPARATUS = re.compile(r"\[Illustration[^\]]*\]|\(\d+\)|_")


def split_tales(book: str) -> Iterator[tuple[str, str]]:
    r"""The tales of a book as (title, text), in order, without front matter and notes.

    >>> book = "A BOOK\n\n\n\nPREFACE\n\nDear reader.\n\n\n\nTHE WOLF\n\n" + "Wolf. " * 60
    >>> [(title, len(text)) for title, text in split_tales(book)]
    [('THE WOLF', 359)]
    """
    for section in _HEADING_GAP.split(book.replace("\r\n", "\n")):
        heading, text = _split_heading(section.strip("\n"))
        name = heading.lower().replace("’", "'").strip(" _.:")
        if _END_OF_TALES.fullmatch(name):
            return
        tale = _APPARATUS.sub("", text).strip()
        if heading and not _NO_TALE.fullmatch(name) and count_words(tale) >= SHORTEST_TALE:
            yield heading, tale


def _split_heading(section: str) -> tuple[str, str]:
    """The first paragraph on one line, if it is short enough for a heading, and the rest."""
    first, *rest = _PARAGRAPH_GAP.split(section, maxsplit=1)
    heading = " ".join(first.split())
    return (heading, "".join(rest)) if len(heading) <= LONGEST_HEADING else ("", section)


def drop_repeats(tales: Iterable[list[str]]) -> Iterator[list[str]]:
    """The tales, as words, without those that an earlier one tells in much the same words."""
    seen: set[tuple[str, ...]] = set()
    for words in tales:
        plain = [word.lower() for word in words if word[0].isalnum()]
        runs = {tuple(plain[i : i + RUN]) for i in range(len(plain) - RUN + 1)}
        if 2 * len(runs & seen) < len(runs):
            yield words
        seen |= runs


def read_tales(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """The book, the title and the words of every tale in a folder, the books by alphabet."""
    for path in sorted(folder.glob("*.txt")):
        for title, text in split_tales(path.read_text(encoding="utf-8")):
            yield path.name, title, split_words(text)


def count_tales(tales: Iterable[list[str]], *, minimum: int) -> DocumentFrequencies:
    """The document frequencies of all different tales; words of fewer than `minimum` are left out."""
    frequencies = DocumentFrequencies.count(drop_repeats(tales))
    kept = {word: count for word, count in frequencies.counts.items() if count >= minimum}
    return DocumentFrequencies(frequencies.documents, kept)


def main() -> None:
    """Read the arguments, count, write, and say what was counted."""
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="books of tales, one .txt file each")
    parser.add_argument("out", type=Path, help="the table to write, .tsv.gz")
    parser.add_argument("--minimum", type=int, default=2, help="tales that a kept word occurs in (default 2)")
    arguments = parser.parse_args()

    tales = list(read_tales(arguments.folder))
    if not tales:
        parser.error(f"there is no tale in the .txt files of {arguments.folder}")
    for book, title, words in tales:
        print(f"{book}\t{title}\t{len(words)}")
    frequencies = count_tales((words for _, _, words in tales), minimum=arguments.minimum)
    frequencies.save(arguments.out)
    print(f"{len(tales)} tales, {frequencies.documents} different, {len(frequencies.counts)} words")


if __name__ == "__main__":
    main()
