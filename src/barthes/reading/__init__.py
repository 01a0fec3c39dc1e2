"""Reading: files, folders and strings become narratives. One module a format."""

from barthes.reading.folder import find_stories
from barthes.reading.plain_text import read_text
from barthes.reading.story import read

__all__ = ["find_stories", "read", "read_text"]
