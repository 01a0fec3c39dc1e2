"""The part of TEI P5 that we write, as rules taken from the Guidelines' element specifications.

tei_all's schema is not at hand; for each element this says what it may contain, in which order, whether
text may stand in it, and which attributes it may have. Anything that is not here is a mistake of ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TEI = "{http://www.tei-c.org/ns/1.0}"
XML = "{http://www.w3.org/XML/1998/namespace}"
GLOBAL = {f"{XML}id", f"{XML}lang", f"{XML}space", "n", "ana"}
NUMERIC = re.compile(r"-?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|-?INF")
POINTER = re.compile(r"\S+")


@dataclass(frozen=True)
class Rule:
    """What an element holds: children as a regular expression over ``name `` tokens; may text stand there?"""

    children: str
    text: bool = False
    attributes: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()


def _rule(children: str = "", *, text: bool = False, may: str = "", must: str = "") -> Rule:
    return Rule(children, text, frozenset(may.split()) | frozenset(must.split()), frozenset(must.split()))


RULES = {
    "TEI": _rule("teiHeader ((text|standOff) )+", may="version"),
    "teiHeader": _rule("fileDesc ((encodingDesc|profileDesc) )*"),
    "fileDesc": _rule("titleStmt publicationStmt (notesStmt )?(sourceDesc )+"),
    "titleStmt": _rule("(title )+"),
    "title": _rule(text=True),
    "publicationStmt": _rule("(p )+"),
    "notesStmt": _rule("(note )+"),
    "note": _rule(text=True),
    "sourceDesc": _rule("(p )+"),
    "encodingDesc": _rule("((appInfo|editorialDecl|listPrefixDef|classDecl|fsdDecl) )+"),
    "appInfo": _rule("(application )+"),
    "application": _rule("(label )+(p )*", must="ident version"),
    "label": _rule(text=True),
    "editorialDecl": _rule("((segmentation|normalization) )+"),
    "segmentation": _rule("(p )+"),
    "normalization": _rule("(p )+"),
    "listPrefixDef": _rule("(prefixDef )+"),
    "prefixDef": _rule("(p )*", must="ident matchPattern replacementPattern"),
    "classDecl": _rule("(taxonomy )+"),
    "taxonomy": _rule("(category )+"),
    "category": _rule("(catDesc )+"),
    "catDesc": _rule(text=True),
    "fsdDecl": _rule("(fsDecl )+"),
    "fsDecl": _rule("(fsDescr )?(fDecl )+", may="baseTypes", must="type"),
    "fsDescr": _rule(text=True),
    "fDecl": _rule("(fDescr )?vRange (vDefault )?", must="name"),
    "fDescr": _rule(text=True),
    "vRange": _rule("numeric "),
    "profileDesc": _rule("(langUsage )*"),
    "langUsage": _rule("(language )+"),
    "language": _rule(text=True, must="ident"),
    "text": _rule("body ", may="type"),
    "body": _rule("(p )+"),
    "p": _rule("(s )*", text=True),
    "s": _rule("(seg )*", text=True, may="type"),
    "seg": _rule("(seg )*", text=True, may="type"),
    "standOff": _rule("((spanGrp|fs) )+", may="type"),
    "spanGrp": _rule("(span )*", may="type"),
    "span": _rule(text=True, may="from to target type"),
    "fs": _rule("(f )*", may="type feats"),
    "f": _rule("numeric ", must="name"),
    "numeric": _rule(must="value", may="max trunc"),
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
        assert rule.text or not any(piece and piece.strip() for piece in stray), f"text in <{name}>"
        assert set(node.attrib) <= GLOBAL | rule.attributes, f"<{name}> has {dict(node.attrib)}"
        assert rule.required <= set(node.attrib), f"<{name}> lacks an attribute"
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
