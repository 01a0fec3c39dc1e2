#!/usr/bin/env python3
"""List the licence, age and known vulnerabilities of every dependency of Barthes.

Usage::

    python scripts/audit.py                  read the metadata of installed packages
    python scripts/audit.py --online         also query PyPI for releases and vulnerabilities

Includes indirect dependencies, as far as they are installed. The exit code is 1 if a licence is not allowed
or a vulnerability is known. If PyPI cannot be reached, ages and vulnerabilities are reported as unknown.
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
    "LGPL",  # as a dynamically loaded library
    "MIT",
    "MPL-2.0",
    "PSF",
    "Unlicense",
    "Zlib",
}
"""Licences under which Barthes may be used, changed and distributed with its dependencies."""

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
    """An installed package, with information from PyPI if it was queried."""

    name: str
    version: str
    licences: tuple[str, ...]
    newest: str = ""
    released: str = ""
    vulnerabilities: tuple[str, ...] | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether at least one of its licences is allowed."""
        return bool(ALLOWED.intersection(self.licences))


def find_packages(root: str, extras: frozenset[str]) -> list[Package]:
    """Return all installed dependencies of a package, direct and indirect, without itself."""
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
            continue  # for another platform, or of an extra that is not installed
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
    """Return the known licences in a package's metadata, or else in its licence file."""
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
    """Add information from PyPI; some mirrors have dates but no vulnerabilities."""
    try:
        about = _get(f"https://pypi.org/pypi/{package.name}/json")
        package.newest = about["info"]["version"]
        dates = [file["upload_time_iso_8601"][:10] for files in about["releases"].values() for file in files]
        package.released = max(dates, default="")
        this = _get(f"https://pypi.org/pypi/{package.name}/{package.version}/json")
    except (OSError, ValueError, KeyError):
        return
    found = this.get("vulnerabilities", [])
    package.vulnerabilities = tuple(each["id"] for each in found if not each.get("withdrawn"))


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
    """Print a table of all packages with their problems."""
    parser = argparse.ArgumentParser(
        description="List the licences, ages and vulnerabilities of dependencies."
    )
    parser.add_argument("--online", action="store_true", help="query PyPI")
    parser.add_argument("--extras", nargs="*", default=["figures", "serve", "parquet", "hub", "ray"])
    options = parser.parse_args()
    packages = find_packages("barthes", frozenset(options.extras))
    if options.online:
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(ask_pypi, packages))
    for package in packages:
        marks = [] if package.is_allowed else ["LICENCE"]
        marks += ["no release for two years"] if _is_old(package) else []
        marks += package.vulnerabilities or ()
        licences = " or ".join(package.licences) or "unknown"
        row = f"{package.name:28} {package.version:16} {licences:28} {package.released:10}"
        print(f"{row} {', '.join(marks)}".rstrip())
    counts = Counter(" or ".join(package.licences) or "unknown" for package in packages)
    print(
        f"{len(packages)} packages: " + ", ".join(f"{name} {count}" for name, count in counts.most_common())
    )
    if options.online:
        dated = [package for package in packages if package.released]
        known = [package for package in packages if package.vulnerabilities is not None]
        print(
            f"age known for {len(dated)}, {sum(map(_is_old, dated))} without a release for two years; "
            f"vulnerabilities for {len(known)}, {sum(bool(each.vulnerabilities) for each in known)} affected"
        )
    else:
        print("PyPI was not queried (use --online): ages and vulnerabilities are unknown")
    sys.exit(1 if any(not package.is_allowed or package.vulnerabilities for package in packages) else 0)


if __name__ == "__main__":
    main()
