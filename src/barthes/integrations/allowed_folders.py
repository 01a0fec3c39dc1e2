"""Find files below the folders that a user allowed an assistant to read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from barthes.errors import ReadingError
from barthes.files import expand_home
from barthes.reading.source import is_project

_ALLOW = "Start the server with `barthes mcp --allow FOLDER`"


class AllowedFolders:
    """Folders whose files may be read, with everything below them.

    Args:
        folders: The folders; links in their names are resolved.

    Raises:
        ReadingError: One of them does not exist or is not a folder.
    """

    def __init__(self, folders: Iterable[str | Path] = ()) -> None:
        self.folders: tuple[Path, ...] = tuple(dict.fromkeys(map(_resolve_folder, folders)))

    def find(self, name: str) -> Path:
        """Return the resolved path of a story file or a Scrivener project.

        Args:
            name: An absolute path, or one relative to an allowed folder.

        Raises:
            ReadingError: It is not below an allowed folder once all links are resolved, or is not a file.
                Whether files exist elsewhere is not revealed.
        """
        if not self.folders:
            problem, remedy = "no folder may be read.", f"Send the text itself. {_ALLOW} to read files."
            raise ReadingError(problem, where=name, remedy=remedy)
        inside = [path for folder in self.folders if (path := _resolve(folder, name)) and self._contain(path)]
        if not inside:
            allowed = ", ".join(map(str, self.folders))
            problem = f"only files below the allowed folders ({allowed}) may be read."
            raise ReadingError(problem, where=name, remedy=f"{_ALLOW} for other folders.")
        found = next((path for path in inside if path.is_file() or is_project(path)), None)
        if found is None:
            there = any(path.exists() for path in inside)
            problem = "this is not a regular file." if there else "there is no such file."
            raise ReadingError(problem, where=name, remedy="Check its name and folder.")
        return found

    def _contain(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) for folder in self.folders)


def _resolve_folder(folder: str | Path) -> Path:
    path = expand_home(folder)
    try:
        path = path.resolve(strict=True)
    except OSError as error:
        problem, remedy = f"it cannot be used ({error.strerror}).", "Give an existing folder."
        raise ReadingError(problem, where=path, remedy=remedy) from error
    if not path.is_dir():
        raise ReadingError("this is not a folder.", where=path, remedy="Give the folder of the file.")
    return path


def _resolve(folder: Path, name: str) -> Path | None:
    """Return a path without links and dots; None if it cannot be one (a null, a loop of links, too long)."""
    try:
        path = (folder / expand_home(name)).resolve()
        path.exists()  # raises for names that are too long
    except (OSError, ValueError, RuntimeError):
        return None
    return path
