"""Read stories from files, folders and strings. Each format has a module."""

from barthes.reading.formats import parse_document
from barthes.reading.gutenberg import strip_gutenberg
from barthes.reading.source import find_stories
from barthes.reading.story import narrate, narrate_chapters, read, read_chapters, read_text
from barthes.reading.story_document import Chapter, Document
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
