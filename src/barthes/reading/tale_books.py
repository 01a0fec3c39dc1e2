"""Split books of tales into their tales, without what editors and printers added to them.

Tales begin at the titles that `mark_headings` finds. Texts of less than `MIN_TALE_WORDS` words are not tales,
and a text without titles is one story.
"""

from __future__ import annotations

from collections.abc import Sequence

from barthes.reading.contents_table import remove_contents
from barthes.reading.encoding import decode
from barthes.reading.formats import Format, find_format, parse_document
from barthes.reading.gutenberg import remove_gutenberg, remove_remarks
from barthes.reading.headings import mark_headings
from barthes.reading.plain_text import split_paragraphs
from barthes.reading.scene_breaks import is_ornament
from barthes.reading.story_document import Block, Chapter, Document, DocumentDraft, describe_left_out
from barthes.reading.tale_cleaning import clean_tale
from barthes.reading.titles import LONGEST_TITLE, begins_with_number, clean_title, is_matter, is_title

MIN_TALE_WORDS = 40
"""What is shorter is a title page or a dedication (the shortest of the Grimms' tales have 100 words)."""


def read_tales(data: bytes, *, where: str, name: str) -> tuple[tuple[Chapter, ...], tuple[str, ...]]:
    """Return the stories in a file with their titles, and notes on how the file was read.

    Plain text is divided by its headings and the blank lines before them; other formats mark their chapters.
    Errors call the file `where`; the ending of its `name` distinguishes kinds of text.

    Raises:
        ReadingError: Its format is unknown, or it is damaged.
        EmptyNarrativeError: There is no running text in it.
    """
    if find_format(data, where=where, name=name) is Format.TEXT:
        text, note = decode(data, where=where)
        return split_tales(text), (note,) if note else ()
    document = parse_document(data, where=where, name=name)
    notes = (*document.notes, describe_left_out(document.left_out))
    return split_document(document), tuple(filter(None, notes))


def split_document(document: Document) -> tuple[Chapter, ...]:
    """Return the stories of a document: its chapters, or all of it where half of them are only numbered.

    >>> wolf = "A wolf came to the well and drank. " * 9
    >>> tales = Document((Chapter("Preface", wolf), Chapter("The Wolf", wolf), Chapter("The Well", wolf)))
    >>> [story.title for story in split_document(tales)]
    ['The Wolf', 'The Well']
    >>> novel = Document((Chapter("Chapter 1", wolf), Chapter("Chapter 2", wolf)))
    >>> len(split_document(novel))
    1
    """
    chapters = [chapter for chapter in document.chapters if not is_matter(chapter.title)]
    numbered = sum(not chapter.title or begins_with_number(chapter.title) for chapter in chapters)
    if 2 * numbered >= len(chapters) or len(chapters) < 2:
        return split_tales("\n\n".join(chapter.text for chapter in chapters))
    texts = ("\n\n".join(clean_tale(_read_blocks(chapter.text))) for chapter in chapters)
    return tuple(
        Chapter(clean_title(chapter.title), text)
        for chapter, text in zip(chapters, texts, strict=True)
        if len(text.split()) >= MIN_TALE_WORDS
    )


def split_tales(text: str) -> tuple[Chapter, ...]:
    r"""Return the tales of a book in plain text; a text that is not a book of tales is one story.

    A story without a title has an empty one. A text in which nothing is told gives no story.

    >>> wolf, crow = "A wolf came to the well and drank. " * 9, "A crow flew to the well and sang. " * 9
    >>> book = f"Contents\n\nThe Wolf\nThe Crow\n\n\n\nTHE WOLF\n\n{wolf}\n\n\n\nTHE CROW\n\n{crow}"
    >>> [tale.title for tale in split_tales(book)]
    ['THE WOLF', 'THE CROW']
    """
    draft = DocumentDraft(blocks=_read_blocks(text))
    remove_contents(draft)
    blocks = list(draft.blocks)
    mark_headings(draft)
    sections = _divide(draft.blocks)
    tales = [tale for title, told in sections if (tale := _to_tale(title, told))]
    if len(tales) > 1:
        return tuple(tales)
    title = ""
    if len(blocks) > 1 and _is_name(blocks[0].text):
        title, blocks = clean_title(" ".join(blocks[0].text.split())), blocks[1:]
    told = clean_tale(blocks)
    return (Chapter(title, "\n\n".join(told)),) if told else ()


def _read_blocks(text: str) -> list[Block]:
    """Return the paragraphs of a text without Project Gutenberg's wrapping and bracketed remarks."""
    draft = DocumentDraft(blocks=split_paragraphs(text))
    remove_gutenberg(draft)
    return remove_remarks(draft.blocks)


def _divide(blocks: Sequence[Block]) -> list[tuple[str, list[Block]]]:
    """Return the titles of tales and the paragraphs under them; numbered chapters do not divide a tale."""
    sections: list[tuple[str, list[Block]]] = [("", [])]
    for block in blocks:
        if block.level in (1, 2) and not begins_with_number(block.text):
            sections.append((clean_title(block.text), []))
        else:
            sections[-1][1].append(block)
    title, last = sections[-1]
    # Remarks on the book follow an ornament set apart from the last tale.
    ornaments = (i for i, each in enumerate(last) if i and each.gap >= 2 and is_ornament(each.text))
    return [*sections[:-1], (title, last[: next(ornaments, None)])]


def _to_tale(title: str, blocks: Sequence[Block]) -> Chapter | None:
    paragraphs = clean_tale(blocks)
    words = [len(paragraph.split()) for paragraph in paragraphs]
    told = sum(count for count, text in zip(words, paragraphs, strict=True) if text[-1] in ".!?:;,\"”’')—-")
    if sum(words) < MIN_TALE_WORDS or 2 * told < sum(words):  # a list has no full stops
        return None
    return Chapter(title, "\n\n".join(paragraphs))


def _is_name(text: str) -> bool:
    is_short = len(text) <= LONGEST_TITLE and text.count("\n") < 3
    return is_short and is_title(" ".join(text.split())) and not begins_with_number(text)
