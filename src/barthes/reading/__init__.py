"""Read stories from files, folders and strings. Each format has a module."""

from barthes.reading.document import Chapter, Document
from barthes.reading.formats import parse_document
from barthes.reading.source import find_stories
from barthes.reading.story import narrate, narrate_chapters, read, read_chapters, read_text

__all__ = [
    "Chapter",
    "Document",
    "find_stories",
    "narrate",
    "narrate_chapters",
    "parse_document",
    "read",
    "read_chapters",
    "read_text",
]
