"""Parse bytes or text as a document of one format."""

from functools import partial

from barthes.reading import parse_document


def parse_as(ending, data, *, where="x", **options):
    """Return the document of a file with this ending."""
    data = data.encode() if isinstance(data, str) else data
    return parse_document(data, where=where, name=f"x{ending}", **options)


def parser(ending):
    """Return `parse_as` for one format."""
    return partial(parse_as, ending)
