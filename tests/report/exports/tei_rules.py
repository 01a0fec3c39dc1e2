"""The part of TEI P5 that we write, as rules taken from the Guidelines' element specifications.

The schema itself is used where it is installed (`conftest.py`). For each element this says what it may
contain, in which order, whether text may stand in it, and which attributes it may have. Anything that is not
here is a mistake of ours.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TEI = "{http://www.tei-c.org/ns/1.0}"
XML = "{http://www.w3.org/XML/1998/namespace}"
GLOBAL = {f"{XML}id", f"{XML}lang", f"{XML}space", "n", "ana"}
NUMERIC = re.compile(r"-?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|-?INF")
POINTER = re.compile(r"\S+")


class Rule(NamedTuple):
    """What an element holds: children as a regular expression over ``name `` tokens; may text stand there?"""

    children: str = ""
    text: bool = False
    may: str = ""
    must: str = ""


RULES = {
    "TEI": Rule("teiHeader ((text|standOff) )+", may="version"),
    "teiHeader": Rule("fileDesc ((encodingDesc|profileDesc) )*"),
    "fileDesc": Rule("titleStmt publicationStmt (notesStmt )?(sourceDesc )+"),
    "titleStmt": Rule("(title )+(author )*"),
    "author": Rule(text=True),
    "title": Rule(text=True),
    "publicationStmt": Rule("(p )+"),
    "notesStmt": Rule("(note )+"),
    "note": Rule(text=True),
    "sourceDesc": Rule("(p )+"),
    "encodingDesc": Rule("((appInfo|editorialDecl|listPrefixDef|classDecl|fsdDecl) )+"),
    "appInfo": Rule("(application )+"),
    "application": Rule("(label )+(p )*", must="ident version"),
    "label": Rule(text=True),
    "editorialDecl": Rule("((segmentation|normalization) )+"),
    "segmentation": Rule("(p )+"),
    "normalization": Rule("(p )+"),
    "listPrefixDef": Rule("(prefixDef )+"),
    "prefixDef": Rule("(p )*", must="ident matchPattern replacementPattern"),
    "classDecl": Rule("(taxonomy )+"),
    "taxonomy": Rule("(category )+"),
    "category": Rule("(catDesc )+"),
    "catDesc": Rule(text=True),
    "fsdDecl": Rule("(fsDecl )+"),
    "fsDecl": Rule("(fsDescr )?(fDecl )+", may="baseTypes", must="type"),
    "fsDescr": Rule(text=True),
    "fDecl": Rule("(fDescr )?vRange (vDefault )?", must="name"),
    "fDescr": Rule(text=True),
    "vRange": Rule("numeric "),
    "profileDesc": Rule("(langUsage )*"),
    "langUsage": Rule("(language )+"),
    "language": Rule(text=True, must="ident"),
    "text": Rule("body ", may="type"),
    "body": Rule("(p )+"),
    "p": Rule("(s )*", text=True),
    "s": Rule("(seg )*", text=True, may="type"),
    "seg": Rule("(seg )*", text=True, may="type"),
    "standOff": Rule("((spanGrp|fs) )+", may="type"),
    "spanGrp": Rule("(span )*", may="type"),
    "span": Rule(text=True, may="from to target type"),
    "fs": Rule("(f )*", may="type feats"),
    "f": Rule("numeric ", must="name"),
    "numeric": Rule(must="value", may="max trunc"),
}


def check(root):
    """Hold a document against the rules; an AssertionError says where it breaks one."""
    assert root.tag == f"{TEI}TEI"
    for node in root.iter():
        name = node.tag.removeprefix(TEI)
        assert name in RULES, f"<{name}> is not in the rules"
        rule = RULES[name]
        children = "".join(f"{child.tag.removeprefix(TEI)} " for child in node)
        assert re.fullmatch(rule.children, children), f"<{name}> holds {children!r}"
        stray = [node.text, *(child.tail for child in node)]
        assert rule.text or not any(piece and piece.strip(" \t\r\n") for piece in stray), f"text in <{name}>"
        must = set(rule.must.split())
        assert must <= set(node.attrib) <= GLOBAL | must | set(rule.may.split()), (
            f"<{name}> {dict(node.attrib)}"
        )
    _check_identifiers(root)
    _check_values(root)


def _check_identifiers(root):
    identifiers = [node.get(f"{XML}id") for node in root.iter() if node.get(f"{XML}id")]
    assert len(identifiers) == len(set(identifiers))
    assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", identifier) for identifier in identifiers)
    prefixes = {node.get("ident"): node for node in root.iter(f"{TEI}prefixDef")}
    for node in root.iter():
        for attribute in ("ana", "target", "from", "to"):
            for pointer in (node.get(attribute) or "").split():
                assert _resolve(pointer, prefixes) in identifiers, pointer


def _resolve(pointer, prefixes):
    if not pointer.startswith("#"):
        scheme, rest = pointer.split(":", 1)
        definition = prefixes[scheme]
        assert re.fullmatch(definition.get("matchPattern"), rest), pointer
        pointer = re.sub(definition.get("matchPattern"), definition.get("replacementPattern"), rest)
    return pointer.removeprefix("#")


def _check_values(root):
    for node in root.iter(f"{TEI}numeric"):
        assert NUMERIC.fullmatch(node.get("value"))
    for node in root.iter(f"{TEI}application"):
        assert re.fullmatch(r"[\d]+[a-z]*[\d]*(\.[\d]+[a-z]*[\d]*){0,3}", node.get("version"))
    for node in root.iter(f"{TEI}span"):
        assert ("target" in node.attrib) != ("from" in node.attrib)
    assert not any(list(node.iter(f"{TEI}s"))[1:] for node in root.iter(f"{TEI}s")), "sentences do not nest"
