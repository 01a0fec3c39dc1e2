"""Write profiles in any format of the group ``barthes.formats``: to a file, a zip of files or a stream.

::

    choose_writer(name, path) ─▶ FileFormat
    check_output(format, path, …)             before anything is scored
    write_profiles(profiles, format, path or stream, …)
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from barthes.errors import OutputError
from barthes.files import write_atomically
from barthes.formats import FileFormat
from barthes.plugins import FORMATS, find_plugins, load_plugin, load_plugins
from barthes.report.escaping import FileNames
from barthes.salience.profile import Profile

DEFAULT = "table"
"""The format of standard output, and of files without an extension."""


def find_writers() -> dict[str, FileFormat]:
    """Return the formats by name."""
    return load_plugins(FORMATS)


def choose_writer(name: str | None, path: Path | None) -> FileFormat:
    """Return the format of that name or, without one, of the file's extension.

    Raises:
        OutputError: There is no such format, or the extension is unknown.
    """
    suffix = "" if path is None else path.suffix.lower()
    if name is None and suffix:
        return _find_by_suffix(suffix, path)
    plugin = find_plugins(FORMATS).get(name or DEFAULT)
    if plugin is None:
        remedy = f"Formats are {', '.join(find_writers())}."
        raise OutputError(f"unknown format {name!r}.", remedy=remedy, option="format")
    found: FileFormat = load_plugin(plugin)
    return found


def _find_by_suffix(suffix: str, path: Path | None) -> FileFormat:
    writers = {each: writer for writer in find_writers().values() for each in writer.suffixes}
    if suffix not in writers:
        remedy = f"Use one of {', '.join(sorted(writers))}, or name the format."
        raise OutputError(f"unknown file extension {suffix}.", where=path, remedy=remedy, option="format")
    return writers[suffix]


def check_output(writer: FileFormat, path: Path | None, *, several: bool = False, **options: Any) -> None:
    """Raise OutputError for what a format cannot do, or if a package that it needs is not installed.

    Args:
        writer: The format.
        path: The file; None for standard output.
        several: Whether several stories were asked for.
        options: Others of `barthes.formats.WRITE_OPTIONS`; those that are None or False are not set.
    """
    is_zip = path is not None and path.suffix.lower() == ".zip"
    if writer.is_binary and path is None:
        remedy = f"Name one that ends in {writer.extension}."
        raise OutputError(f"{writer.name} needs a file.", remedy=remedy, option="out")
    if is_zip and not writer.one_story:
        documents = ", ".join(name for name, each in find_writers().items() if each.one_story)
        problem = f"{writer.name} holds all stories in one file and needs no zip."
        raise OutputError(problem, where=path, remedy=f"Zip files are for {documents}.")
    if several and writer.one_story and not is_zip:
        remedy = "Name the format and a file that ends in .zip."
        problem = f"{writer.name} holds one story per file."
        raise OutputError(problem, where=path, remedy=remedy, option="format out")
    for name, value in options.items():
        if value and name not in writer.options:
            known = " or ".join(each for each, other in find_writers().items() if name in other.options)
            remedy = f"Choose {known}, or omit the option."
            raise OutputError(f"{writer.name} has no option {name}.", where=path, remedy=remedy, option=name)
    if writer.check_installed is not None:
        writer.check_installed()


def write_profiles(
    profiles: Iterable[Profile], writer: FileFormat, out: Path | TextIO, **options: Any
) -> None:
    """Write profiles while they are computed; if there are none, nothing is written.

    Args:
        profiles: May be computed by the iteration.
        writer: The format.
        out: A file, which is written atomically at the end, or a text stream.
        options: Of `barthes.formats.WRITE_OPTIONS`; those that are None or unknown to the format are ignored.
    """
    known = {name: value for name, value in options.items() if name in writer.options and value is not None}
    left = iter(profiles)
    for first in left:
        shown = chain([first], left)
        if not isinstance(out, Path):
            writer.write(shown, out, **known)
        elif out.suffix.lower() == ".zip":
            write_atomically(out, _zip(_render_documents(writer, shown, known)))
        else:
            stream = io.BytesIO() if writer.is_binary else io.StringIO()
            writer.write(shown, stream, **known)
            write_atomically(out, stream.getvalue())


def _render_documents(
    writer: FileFormat, profiles: Iterable[Profile], options: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each document of a zip."""
    names = FileNames()
    for profile in profiles:
        stem = names.choose(profile.narrative.title)
        stream = io.StringIO()
        writer.write([profile], stream, **options)
        yield stem + writer.extension, stream.getvalue()
        if writer.to_text is not None:
            yield f"{stem}.txt", writer.to_text(profile.narrative)


def _zip(documents: Iterable[tuple[str, str]]) -> bytes:
    """Return documents as a zip; the same documents give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in documents:
            member = zipfile.ZipInfo(name)  # dated 1980
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content.encode("utf-8"))
    return buffer.getvalue()
