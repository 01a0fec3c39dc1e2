#!/usr/bin/env python3
"""What Barthes stands on: the licence, age and known weaknesses of every package that it needs.

Usage::

    python scripts/audit.py                  what is installed, by its own metadata
    python scripts/audit.py --online         and what PyPI says: newest version, its date, known weaknesses

It goes through the requirements of Barthes and theirs, as installed here. The exit code is 1 where a licence
is not on the list below, or a weakness is known. Where PyPI cannot be asked, that is said, and not held
against a package.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

__all__ = ["Package", "find_packages", "main", "name_licence"]

ALLOWED = {
    "Apache-2.0",
    "BSD",
    "CC0-1.0",
    "HPND",
    "ISC",
    "LGPL",  # as a library that is loaded, not copied
    "MIT",
    "MPL-2.0",
    "PSF",
    "Unlicense",
    "Zlib",
}
"""Licences that let anyone use, change and pass on Barthes together with what it stands on."""

_OLD = 730  # days without a release
_PATTERNS = (
    ("LGPL", r"\blgpl|lesser general public"),
    ("GPL", r"(?<!l)gpl|(?<!lesser )general public"),
    ("Apache-2.0", r"apache"),
    ("MPL-2.0", r"\bmpl\b|mozilla public"),
    ("BSD", r"\bbsd|redistribution and use in source and binary forms"),
    ("MIT", r"\bmit\b|permission is hereby granted, free of charge"),
    ("PSF", r"\bpsf\b|python software foundation|cnri"),
    ("ISC", r"\bisc\b"),
    ("HPND", r"\bhpnd\b|historical permission"),
    ("Unlicense", r"unlicense|public domain"),
    ("Zlib", r"\bzlib\b"),
    ("CC0-1.0", r"\bcc0"),
    ("NVIDIA", r"nvidia"),
)


@dataclass
class Package:
    """An installed package, and what PyPI says about it, where it was asked."""

    name: str
    version: str
    licences: tuple[str, ...]
    newest: str = ""
    released: str = ""
    weaknesses: tuple[str, ...] | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether there is a licence, and one of them (where there is a choice) is on the list."""
        return bool(ALLOWED.intersection(self.licences))


def find_packages(root: str, extras: frozenset[str]) -> list[Package]:
    """All that a package needs, directly or not, as far as it is installed; itself left out."""
    found: dict[str, Package] = {}
    waiting = [(root, extras)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, wanted = waiting.pop()
        key = _normalize(name)
        if (key, wanted) in seen:
            continue
        seen.add((key, wanted))
        try:
            installed = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system, or an extra that is not installed
        found.setdefault(key, Package(key, installed.version, name_licence(installed)))
        waiting += _list_requirements(installed, wanted)
    found.pop(_normalize(root), None)
    return sorted(found.values(), key=lambda package: package.name)


def _list_requirements(
    installed: metadata.Distribution, extras: frozenset[str]
) -> list[tuple[str, frozenset[str]]]:
    from packaging.requirements import Requirement

    needed = []
    for line in installed.requires or []:
        requirement = Requirement(line)
        environments = [{"extra": extra} for extra in (extras or {""})] + [{"extra": ""}]
        if requirement.marker is None or any(requirement.marker.evaluate(each) for each in environments):
            needed.append((requirement.name, frozenset(requirement.extras)))
    return needed


def name_licence(installed: metadata.Distribution) -> tuple[str, ...]:
    """The licences that a package names, shortest names first; none where it names none that we know."""
    about = installed.metadata
    classifiers = [each for each in about.get_all("Classifier") or [] if each.startswith("License ::")]
    for text in (about.get("License-Expression"), " ".join(classifiers), about.get("License")):
        if names := _read_names(text or ""):
            return names
    for file in installed.files or []:
        if re.match(r"(?i)licen[cs]e|copying", file.name):
            try:
                text = file.read_text()
            except (OSError, UnicodeDecodeError):
                continue
            if names := _read_names((text or "")[:2_000]):
                return names[:1]
    return ()


def _read_names(text: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _PATTERNS if re.search(pattern, text[:3_000], re.IGNORECASE))


def ask_pypi(package: Package) -> None:
    """Add what PyPI says, as far as it can be asked; some mirrors tell ages, but nothing of weaknesses."""
    try:
        about = _get(f"https://pypi.org/pypi/{package.name}/json")
        package.newest = about["info"]["version"]
        dates = [file["upload_time_iso_8601"][:10] for files in about["releases"].values() for file in files]
        package.released = max(dates, default="")
        this = _get(f"https://pypi.org/pypi/{package.name}/{package.version}/json")
    except (OSError, ValueError, KeyError):
        return
    found = this.get("vulnerabilities", [])
    package.weaknesses = tuple(each["id"] for each in found if not each.get("withdrawn"))


def _get(address: str) -> Any:
    with urllib.request.urlopen(address, timeout=10) as answer:
        return json.load(answer)


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_old(package: Package) -> bool:
    if not package.released:
        return False
    return (datetime.now(UTC) - datetime.fromisoformat(package.released).replace(tzinfo=UTC)).days > _OLD


def main() -> None:
    """Print a table of all packages, and what is wrong with them."""
    parser = argparse.ArgumentParser(description="Licences, ages and known weaknesses of what Barthes needs.")
    parser.add_argument("--online", action="store_true", help="ask PyPI")
    parser.add_argument("--extras", nargs="*", default=["figures", "serve", "parquet", "hub", "ray"])
    options = parser.parse_args()
    packages = find_packages("barthes", frozenset(options.extras))
    if options.online:
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(ask_pypi, packages))
    for package in packages:
        marks = [] if package.is_allowed else ["LICENCE"]
        marks += ["no release for two years"] if _is_old(package) else []
        marks += package.weaknesses or ()
        licences = " or ".join(package.licences) or "none named"
        row = f"{package.name:28} {package.version:16} {licences:28} {package.released:10}"
        print(f"{row} {', '.join(marks)}".rstrip())
    counts = Counter(" or ".join(package.licences) or "none named" for package in packages)
    print(
        f"{len(packages)} packages: " + ", ".join(f"{name} {count}" for name, count in counts.most_common())
    )
    if options.online:
        dated = [package for package in packages if package.released]
        known = [package for package in packages if package.weaknesses is not None]
        print(
            f"PyPI told the ages of {len(dated)}, {sum(map(_is_old, dated))} not released for two years; "
            f"the weaknesses of {len(known)}, {sum(bool(each.weaknesses) for each in known)} with any"
        )
    else:
        print("PyPI was not asked (--online): ages and weaknesses are not known")
    sys.exit(1 if any(not package.is_allowed or package.weaknesses for package in packages) else 0)


if __name__ == "__main__":
    main()
