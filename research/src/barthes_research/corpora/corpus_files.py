"""Read the files of a corpus from a folder, a zip archive or a single file, within limits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from barthes.errors import ReadingError
from barthes.evaluation.corpus import CorpusProblem
from barthes.reading.archive import Archive
from barthes.reading.rows import Row, has_columns, parse_table, read_corpus_bytes, read_corpus_text

MAX_FILES = 1_000
MAX_TOTAL_BYTES = 256 * 2**20

_SUFFIX = ".sty"
_REMEDY = "Give the corpus's folder of .sty files, or its zip archive."


def read_story_files(path: str | Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each `.sty` file, by the number in its name, then by name.

    Archives are read in memory and never unpacked.

    Raises:
        ReadingError: Nothing is there, it has no `.sty` file or two of the same name, or it is too big.
    """
    path = Path(path)
    if path.suffix.lower() == _SUFFIX and not path.is_dir():
        yield path.name, read_corpus_bytes(path, remedy=_REMEDY)
        return
    archive = None if path.is_dir() else _open_archive(path)
    total = 0
    for name in _choose(archive.names if archive else _list_files(path), path):
        content = archive.read(name) if archive else read_corpus_bytes(path / name, remedy=_REMEDY)
        total += len(content)
        if total > MAX_TOTAL_BYTES:
            problem = f"its .sty files have more than {MAX_TOTAL_BYTES} bytes."
            raise ReadingError(problem, where=path, remedy=_REMEDY)
        yield PurePosixPath(name).name, content


def _open_archive(path: Path) -> Archive:
    data = read_corpus_bytes(path, remedy=_REMEDY)
    try:
        return Archive(data, where=str(path))
    except ReadingError as error:
        raise ReadingError(error.problem, where=path, remedy=_REMEDY) from error


def _list_files(folder: Path) -> list[str]:
    """Return all files in a folder and below it, relative to the folder."""
    try:
        return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    except OSError as error:
        problem = f"cannot be read ({error.strerror or error})."
        raise ReadingError(problem, where=folder, remedy=_REMEDY) from error


def _choose(names: Iterable[str], where: Path) -> list[str]:
    """Return the names of the `.sty` files in the order of the stories, without hidden ones."""
    paths = {name: PurePosixPath(name) for name in names if PurePosixPath(name).suffix.lower() == _SUFFIX}
    hidden = (".", "__MACOSX")
    chosen = [name for name, path in paths.items() if not any(part.startswith(hidden) for part in path.parts)]
    _check_count(len(chosen), _SUFFIX, where, _REMEDY)
    for name, count in Counter(paths[each].name for each in chosen).items():
        if count > 1:
            problem = f"has {count} files called {name}; only one of them can be that story."
            raise ReadingError(problem, where=where, remedy=_REMEDY)
    return sorted(chosen, key=story_order)


def story_order(name: str) -> tuple[int, str]:
    """Return the key by which story files are sorted: the number in the name, then the name.

    >>> sorted(["story10.sty", "story2.sty", "about.sty"], key=story_order)
    ['story2.sty', 'story10.sty', 'about.sty']
    """
    number = re.search(r"\d{1,9}", PurePosixPath(name).stem)
    return int(number[0]) if number else 10**9, PurePosixPath(name).name


def _check_count(count: int, suffix: str, where: Path, remedy: str) -> None:
    if not 0 < count <= MAX_FILES:
        many = f"has {count} {suffix} files, more than {MAX_FILES}."
        raise ReadingError(many if count else f"has no {suffix} file in it.", where=where, remedy=remedy)


def read_corpus_texts(path: str | Path, *, suffix: str, remedy: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of a file, or of every file in a folder with the suffix, by name.

    Raises:
        ReadingError: As for `read_corpus_text`; or the folder has no such file, or too many.
    """
    path = Path(path)
    if not path.is_dir():
        yield path.name, read_corpus_text(path, remedy=remedy)
        return
    total = 0
    for file in _list_folder(path, suffix, remedy):
        text = read_corpus_text(file, remedy=remedy)
        total += len(text)
        if total > MAX_TOTAL_BYTES:
            problem = f"its files have more than {MAX_TOTAL_BYTES} characters."
            raise ReadingError(problem, where=path, remedy=remedy)
        yield file.name, text


def read_tables(
    path: str | Path, columns: Sequence[str], problems: list[CorpusProblem], *, remedy: str
) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a CSV file, or of those in a folder, each with the name of its file.

    Files in a folder that do not have the columns are skipped and added to `problems`.

    Raises:
        ReadingError: As for `read_corpus_texts` and `parse_table`.
    """
    path = Path(path)
    for file, text in read_corpus_texts(path, suffix=".csv", remedy=remedy):
        if path.is_dir() and not has_columns(text, columns):
            problems.append(CorpusProblem(file, "", "table", "it has other columns and is passed over"))
            continue
        where = path / file if path.is_dir() else path
        for row in parse_table(text, columns, where=where, remedy=remedy):
            yield file, row


def _list_folder(folder: Path, suffix: str, remedy: str) -> list[Path]:
    try:
        files = [file for file in folder.iterdir() if file.suffix.lower() == suffix and file.is_file()]
    except OSError as error:
        raise ReadingError(f"cannot be read ({error.strerror}).", where=folder, remedy=remedy) from error
    files = sorted(file for file in files if not file.name.startswith("."))
    _check_count(len(files), suffix, folder, remedy)
    return files
