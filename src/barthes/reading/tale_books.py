"""Split books of tales into their tales, without what editors and printers added to them.

Tales begin at the titles that `mark_headings` finds. Texts of less than `MIN_TALE_WORDS` words are not tales,
and a text without titles is one story.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from barthes.reading.contents_table import remove_contents
from barthes.reading.document import Block, Chapter, Document, DocumentDraft, describe_left_out
from barthes.reading.encoding import decode
from barthes.reading.formats import Format, find_format, parse_document
from barthes.reading.gutenberg import remove_gutenberg, remove_remarks
from barthes.reading.headings import mark_headings
from barthes.reading.plain_text import split_paragraphs
from barthes.reading.scene_breaks import is_ornament
from barthes.reading.titles import LONGEST_TITLE, begins_with_number, clean_title, is_matter, is_title

MIN_TALE_WORDS = 40
"""What is shorter is a title page or a dedication (the shortest of the Grimms' tales have 100 words)."""
_PAGE_NUMBER = re.compile(r"[\[({]?\s*(?:p|pp|pg|page)?\.?\s*\d{1,4}\s*[\])}]?", re.I)
_FOOTNOTE = re.compile(r"(\(\d{1,3}\)|\[\d{1,3}\]|\[[*†‡]+\]|[*†‡]+)\s*[^\s*.]")
_EMPHASIS = re.compile(r"\*[^\s*][^*]*(?<!\s)\*(?!\w)")
_MARK = re.compile(r"\[\d{1,3}\]|\[[*†‡]+\]|\{\d{1,4}\}|\[(?:p|pg|page)\.? ?\d{1,4}\]|[†‡]", re.I)
_RAISED_MARK = re.compile(r"(?<=[^\s(])\(\d{1,3}\)|(?<=[\w.,;:!?’”\"'])\*(?!\w)")
_SOURCE = re.compile(
    r"(?:(?:a )?(?:story|tale) from|from|adapted|translated|retold|after|taken|collected|source)\b", re.I
)
_THE_END = re.compile(r"(?:the end|finis|end of [\w' ’]+)\W*", re.I)
_AUTHOR = re.compile(r"(?i:by|told by|retold by|collected by)(?: (?:[A-ZÀ-Þ][\w.'’-]*|and|de|of|the|von),?)+")
_OPENING_CAPITALS = re.compile(r"(\W{0,2}(?:[AIO] )?)([A-ZÀ-Þ])([A-ZÀ-Þ]+)(?=,? [\w’']* ?[a-zß-ÿ])")


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


def clean_tale(blocks: Sequence[Block]) -> list[str]:
    """Return the paragraphs that tell a tale, without headings, dividers, page numbers, notes and sources.

    >>> clean_tale([Block("ONCE upon a time a _wolf_(1) came."), Block("(1) Canis.")])
    ['Once upon a time a wolf came.']
    """
    told = (block for index, block in enumerate(blocks) if not _is_heading(block, index))
    texts = [" ".join(block.text.split()) for block in told]
    texts = [text for text in texts if any(map(str.isalnum, text)) and not _PAGE_NUMBER.fullmatch(text)]
    marks = _find_footnotes(texts)
    texts = _trim([text for text, mark in zip(texts, marks, strict=True) if not mark])
    references = {mark for mark in marks if mark[:1] in ("(", "[")}
    cleaned = [text for text in (_remove_marks(each, references) for each in texts) if text]
    return [_lower_opening(text) for text in cleaned[:1]] + cleaned[1:]


def _is_heading(block: Block, index: int) -> bool:
    """Return whether it numbers or, set apart by space, names a chapter in capitals.

    What a character reads or shouts in capitals stands in the tale without that space.
    """
    text = block.text
    apart = (index == 0 or block.gap >= 2) and len(text) <= 120
    return begins_with_number(text) or (apart and text.isupper() and text[0] not in "\"“‘'")


def _find_footnotes(texts: Sequence[str]) -> list[str]:
    """Return for each paragraph the mark of the footnote that it is; empty for the tale.

    A star may begin a word in italics. A number found nowhere else is a footnote to the title, which is not
    among the paragraphs; several of them number the paragraphs.

    >>> _find_footnotes(["*No*, said the fox.", "*Canis lupus."])
    ['', '*']
    >>> _find_footnotes(["A wolf(1) came.", "(1) Canis."]), _find_footnotes(["A wolf came.", "(7) Grimm."])
    (['', '(1)'], ['', '(7)'])
    >>> _find_footnotes(["(1) A wolf came.", "(2) It ate."])
    ['', '']
    """
    found = [None if _EMPHASIS.match(text) else _FOOTNOTE.match(text) for text in texts]
    marks = [match[1] if match else "" for match in found]
    numbers = {mark for mark in marks if mark.strip("([])").isdigit()}
    alone = {mark for mark in numbers if sum(text.count(mark) for text in texts) == 1}
    return ["" if mark in alone and len(alone) > 1 else mark for mark in marks]


def _trim(texts: list[str]) -> list[str]:
    """Remove authors' lines at the start, and sources and "The End" at the end."""
    while len(texts) > 1 and (_is_author(texts[0]) or (texts[0][0] in "([" and _is_source(texts[0]))):
        texts = texts[1:]
    while len(texts) > 1 and (_THE_END.fullmatch(texts[-1].replace("_", "")) or _is_source(texts[-1])):
        texts = texts[:-1]
    return texts


def _is_author(text: str) -> bool:
    return len(text) <= 80 and bool(_AUTHOR.fullmatch(text.replace("_", "")))


def _is_source(text: str) -> bool:
    """Return whether a first or last paragraph names a source, in brackets or as "From the …".

    A last remark of the teller may stand in round brackets too: it has few capitals.

    >>> _is_source("(Volksmarchen der Serben.)"), _is_source("(And that is why the moon is cool.)")
    (True, False)
    """
    if len(text) > 160:
        return False
    bare = text.strip("_ ")
    if bare.startswith("[") and bare.endswith("]"):
        return True
    inside = bare.strip("(). ‘’_")
    words = [word for word in re.findall(r"[^\W\d_]+", inside) if len(word) > 3]
    named = 2 * sum(word[0].isupper() for word in words) >= len(words)
    if bare.startswith("(") and bare.endswith(")"):
        return named or bool(_SOURCE.match(inside))
    return named and len(bare) <= 80 and bool(_SOURCE.match(inside))


def _remove_marks(text: str, references: Iterable[str]) -> str:
    """Remove the marks of footnotes and pages, and the underscores that stand for italics."""
    for mark in references:
        text = text.replace(mark, "")
    return " ".join(_RAISED_MARK.sub("", _MARK.sub("", text)).replace("_", "").split())


def _lower_opening(text: str) -> str:
    """Spell the first words normally: printers set one of them in capitals.

    >>> _lower_opening("A VERY old wolf"), _lower_opening("THERE was a wolf"), _lower_opening("I saw it")
    ('A very old wolf', 'There was a wolf', 'I saw it')
    """
    found = _OPENING_CAPITALS.match(text)
    if not found:
        return text
    first = found[2].lower() if found[1].strip("\"“‘'( ") else found[2]
    return found[1] + first + found[3].lower() + text[found.end() :]
