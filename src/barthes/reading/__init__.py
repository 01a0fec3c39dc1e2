"""Reading: files, folders and strings become narratives. One module a format."""

from barthes.reading.document import Chapter, Document
from barthes.reading.folder import find_stories
from barthes.reading.formats import parse_document
from barthes.reading.plain_text import read_text
from barthes.reading.story import narrate, narrate_chapters, read, read_chapters

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
