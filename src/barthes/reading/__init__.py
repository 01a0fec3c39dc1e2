"""Read stories from files, folders and strings. Each format has a module."""

from barthes.reading.document import Chapter, Document
from barthes.reading.folder import find_stories
from barthes.reading.formats import parse_document
from barthes.reading.gutenberg import strip_gutenberg
from barthes.reading.plain_text import read_text
from barthes.reading.story import narrate, narrate_chapters, read, read_chapters
from barthes.reading.tale_books import read_tales, split_tales

__all__ = [
    "Chapter",
    "Document",
    "find_stories",
    "narrate",
    "narrate_chapters",
    "parse_document",
    "read",
    "read_chapters",
    "read_tales",
    "read_text",
    "split_tales",
    "strip_gutenberg",
]
