"""Parse XML and HTML safely: no entities declared in the file, no network, no huge trees."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Mapping
from typing import Any, NoReturn
from xml.parsers import expat

from barthes.errors import ReadingError

_LONGEST_CHAIN = 100  # of styles based on others
_REFERENCE = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_XML_NAMES = frozenset([b"amp", b"lt", b"gt", b"quot", b"apos"])


class _RootFoundError(Exception):
    pass


def find_root(data: bytes, *, where: str) -> tuple[str, str] | None:
    """Return the namespace and name of the root of an XML file; None if it is not XML up to its root.

    Raises:
        ReadingError: The file declares entities, which are not expanded.

    >>> find_root(b'<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"/>', where="tale.xml")
    ('http://www.tei-c.org/ns/1.0', 'TEI')
    """

    def start(name: str, _: object) -> NoReturn:
        raise _RootFoundError(name)

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.EntityDeclHandler = lambda name, *_: _refuse_entity(name, where)
    try:
        parser.Parse(data, True)
    except _RootFoundError as found:
        namespace, _, name = str(found).rpartition(" ")
        return namespace, name
    except (expat.ExpatError, LookupError, ValueError):
        pass
    return None


def parse_xml(data: bytes, *, where: str, part: str = "") -> Any:
    """Parse an XML file, or the part of an archive that has this name, and return its root element.

    Raises:
        ReadingError: It is not well-formed, too deep, or has entities other than those of HTML.
    """
    from lxml import etree

    find_root(data, where=where)
    data = _replace_named_characters(data)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,  # an id that is there twice is not an error
    )

    class Nothing(etree.Resolver):  # type: ignore[misc]  # without ids, lxml would load the document type
        def resolve(self, url: str, public_id: str, context: Any) -> Any:
            return self.resolve_string("<!-- -->", context)

    parser.resolvers.add(Nothing())
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        what = f"{part!r} in it is" if part else "it is"
        remedy = "Save it again with the program that made it."
        reason = f"{what} not well-formed XML ({str(error)[:300]})."  # it may quote all of the file
        raise ReadingError(reason, where=where, remedy=remedy) from error
    document_type = root.getroottree().docinfo.internalDTD
    if document_type is not None:
        for entity in document_type.iterentities():  # in encodings unknown to `find_root`, as Shift JIS
            _refuse_entity(entity.name, where)
    if (unknown := next(root.iter(etree.Entity), None)) is not None:
        problem = f"it uses the entity &{unknown.name[:100]};, which is not in it."
        remedy = "Write the character itself; entities are not expanded, for safety."
        raise ReadingError(problem, where=where, remedy=remedy)
    return root


def _refuse_entity(name: str, where: str) -> NoReturn:
    problem = f"it declares the entity {name[:100]!r}; entities are not expanded, for safety."
    remedy = "Write the characters themselves, and remove the <!ENTITY …> declarations."
    raise ReadingError(problem, where=where, remedy=remedy)


def parse_html(text: str, *, where: str) -> Any:
    """Parse an HTML page and return its root element; open tags are closed as a browser would.

    Raises:
        ReadingError: There is nothing in it, or its elements are nested hundreds deep.
    """
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(text.replace("\0", "").encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError):  # an empty page; other errors are in the parser's log
        root = None
    if any(entry.level_name == "FATAL" for entry in parser.error_log if "LIMIT" in entry.type_name):
        remedy = "Save the text of the page as plain text."
        raise ReadingError("its elements are nested too deeply, or too long.", where=where, remedy=remedy)
    return etree.Element("html") if root is None else root


def _replace_named_characters(data: bytes) -> bytes:
    """Replace ``&nbsp;`` and its like by numbers, which XML knows without a document type.

    >>> _replace_named_characters(b"<p>a&nbsp;b &amp; c &wolf;</p>")
    b'<p>a&#160;b &amp; c &wolf;</p>'
    """

    def replace(match: re.Match[bytes]) -> bytes:
        if match[1] in _XML_NAMES:
            return match[0]
        characters = html.entities.html5.get(f"{match[1].decode()};")
        return match[0] if characters is None else "".join(f"&#{ord(each)};" for each in characters).encode()

    return _REFERENCE.sub(replace, data)


def name_of(element: Any) -> str:
    """Return the name of an element without namespace, in lower case; empty for an entity or a comment."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def first_character_of(element: Any) -> str:
    """Return the first character of the text in an element, or nothing, without reading more."""
    return next((str(piece).lstrip()[:1] for piece in element.itertext() if piece.strip()), "")


def text_of(element: Any | None) -> str:
    """Return all text in an element on one line; nothing for None."""
    return "" if element is None else " ".join("".join(map(str, element.itertext())).split())


def attribute_of(element: Any, name: str) -> str:
    """Return an attribute by its name, in whatever namespace; empty if there is none."""
    return next((str(value) for key, value in element.items() if key.rpartition("}")[2] == name), "")


def follow_styles(name: str, parents: Mapping[str, str]) -> list[str]:
    """Return a style of a word processor and those that it is based on, which may be a circle."""
    chain = [name]
    while (name := parents.get(name, "")) and len(chain) < _LONGEST_CHAIN:
        chain.append(name)
    return chain
