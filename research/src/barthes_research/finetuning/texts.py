"""Read training texts: the stories of files, folders, corpora and data sets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from barthes.corpora import check_corpus, list_kinds, open_corpus
from barthes.errors import BarthesError, EmptyNarrativeError, NarrativeError, ReadingError, UnknownNameError
from barthes.files import decode_name
from barthes.hashing import hash_bytes
from barthes.reading import parse_document
from barthes.reading.source import ABOUT_FILES, STANDARD_INPUT, STORY_SUFFIXES, is_project, read_bytes

_HUB = "hub"
_WRONG_ENDING = f"not a story file ({', '.join(STORY_SUFFIXES)})."


@dataclass(frozen=True, slots=True)
class TrainingText:
    """A story. No token is predicted from another story.

    Attributes:
        name: The file name and, for a tale of a book, its title.
        text: The story. Any white space counts as one space.
        stretch: For a passage of a longer text, the part it belongs to; such a part is never divided
            between training and held-out texts.
    """

    name: str
    text: str
    stretch: str = ""

    @property
    def words(self) -> int:
        """The number of words, separated by white space."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Texts:
    """The stories of some sources.

    Attributes:
        stories: In the order of the sources.
        skipped: A sentence for each skipped file, with the reason.
        notes: Other notes for the user: guessed encodings, dropped tales.
    """

    stories: tuple[TrainingText, ...]
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def account(self) -> tuple[str, ...]:
        """The notes, followed by a sentence for each skipped file."""
        return (*self.notes, *(f"Skipped: {sentence}" for sentence in self.skipped))


def collapse(text: str) -> str:
    """Return a text with any white space replaced by one space, as models read it."""
    return " ".join(text.split())


def hash_text(text: str) -> str:
    """Return the SHA-256 of a story, ignoring differences in white space."""
    return hash_bytes(collapse(text).encode("utf-8", "surrogatepass"))


def gather_texts(sources: Sequence[str], *, tokens: bool = False) -> Texts:
    """Read the stories of some sources, without those that repeat an earlier story word for word.

    Args:
        sources: Each is a file; ``-`` for standard input; a folder, read recursively; ``KIND=PATH`` for
            the tales of a corpus without their labels, with a kind in `list_kinds()`; or
            ``hub=NAME[@configuration][:column]`` for a data set. A book is divided into its tales.
        tokens: Read ProppLearner's tales as its tokens joined by spaces, as the authors of the paper did.

    Raises:
        BarthesError: A source is invalid or cannot be read, or no story is left. Unreadable files in a
            folder are listed in `Texts.skipped` instead.
    """
    from barthes_research.finetuning.overlap import drop_repeats

    if not sources:
        raise BarthesError("there is nothing to train on.", remedy="Give a file, a folder or KIND=PATH.")
    if tokens and not names_propplearner(sources):
        remedy = "Give propplearner=PATH, or do not ask for tokens."
        raise BarthesError("only ProppLearner has its own tokens.", remedy=remedy)
    parts = [_gather(source, tokens=tokens) for source in sources]
    stories, repeats = drop_repeats([story for part in parts for story in part.stories])
    skipped = tuple(sentence for part in parts for sentence in part.skipped)
    if not stories:
        reasons = sorted(skipped, key=lambda sentence: _WRONG_ENDING in sentence)  # say least
        first = f" ({reasons[0].rstrip('.')})" if reasons else ""
        remedy = f"Give files named {', '.join(f'*{suffix}' for suffix in STORY_SUFFIXES)}."
        raise ReadingError(f"no story is left to train on{first}.", where=sources[0], remedy=remedy)
    notes = (note for part in parts for note in part.notes)
    return Texts(_number_names(stories), skipped, (*notes, *repeats))


def names_propplearner(sources: Sequence[str]) -> bool:
    """Return whether one of the sources is ProppLearner, the only one with its own tokens."""
    return any(_parse_kind(source) == "propplearner" for source in sources)


def _gather(source: str, *, tokens: bool) -> Texts:
    kind = _parse_kind(source)
    if kind == _HUB:
        from barthes_research.finetuning.hub import read_data_set

        return read_data_set(source.partition("=")[2])
    if kind is not None:
        return _read_corpus(source, tokens=tokens and kind == "propplearner")
    if source and Path(source).is_dir() and not is_project(Path(source)):
        return _read_folder(Path(source))
    return _read_file(source)


def _parse_kind(source: str) -> str | None:
    """Return the kind in ``KIND=PATH``, or None for a file or a folder."""
    name, equals, _ = source.partition("=")
    kind = name.strip().lower()
    if kind == _HUB or kind in list_kinds():
        return kind if equals else None
    if equals and os.sep not in name and not Path(source).exists():
        raise UnknownNameError("kind of source", name.strip(), [*list_kinds(), _HUB])
    return None


def _read_corpus(source: str, *, tokens: bool) -> Texts:
    """Read the tales of a corpus, with sentences joined by one space as for scoring."""
    from barthes_research.corpora.tale import Tale

    kind, path = check_corpus(source)
    stories = []
    for story in open_corpus(source):
        title = story.narrative.title
        name = f"{story.name}: {title}" if title and title != story.name else story.name
        narrative = story.token_narrative if tokens and isinstance(story, Tale) else story.narrative
        stories.append(TrainingText(name, " ".join(map(str, narrative))))
    return Texts(tuple(stories), notes=(f"{kind} ({decode_name(path)}): trained on without its labels.",))


def _read_folder(folder: Path) -> Texts:
    stories: list[TrainingText] = []
    skipped: list[str] = []
    notes: list[str] = []
    for path in _walk(folder, skipped):
        fault = _find_fault(path)
        if fault is None:
            try:
                found = _read_file(str(path))
                stories += found.stories
                notes += found.notes
            except (ReadingError, NarrativeError) as error:
                fault = error.problem
        if fault is not None:
            skipped.append(f"{decode_name(path.relative_to(folder))}: {fault}")
    return Texts(tuple(stories), tuple(skipped), tuple(notes))


def _walk(folder: Path, skipped: list[str]) -> Iterator[Path]:
    """Yield all files below a folder, sorted, except hidden ones and links to folders."""

    def skip(error: OSError) -> None:
        skipped.append(f"{decode_name(error.filename)}: it cannot be read ({error.strerror}).")

    for parent, folders, names in os.walk(folder, onerror=skip):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if is_project(Path(parent)):
            folders.clear()
            yield Path(parent)
            continue
        yield from (Path(parent, name) for name in sorted(names) if not name.startswith("."))


def _find_fault(path: Path) -> str | None:
    """Return why a file in a folder is not read as a story, or None."""
    if is_project(path):
        return None
    if path.stem.lower() in ABOUT_FILES:
        return "it describes the folder and is not a story."
    if not path.name.lower().endswith(STORY_SUFFIXES):
        return _WRONG_ENDING
    return None if path.is_file() else "not a regular file."  # reading a named pipe would never end


def _read_file(source: str) -> Texts:
    """Read the stories of a file; their names are its name and their titles."""
    shown = "stdin" if source == STANDARD_INPUT else decode_name(Path(source).name)
    stem = Path(shown).stem
    try:
        document = parse_document(read_bytes(source), where=source, name=shown)
    except EmptyNarrativeError as error:
        remedy = "Give a file that contains text."
        raise ReadingError("there is no story in it.", where=source, remedy=remedy) from error
    tales = [(chapter.title, chapter.copy_scored()) for chapter in document.chapters]
    stories = [TrainingText(f"{stem}: {title}" if title else stem, text) for title, text in tales]
    notes = filter(None, [*document.notes, document.describe_marked()])
    return Texts(_number_names(stories), notes=tuple(f"{shown}: {note}" for note in notes))


def _number_names(stories: Sequence[TrainingText]) -> tuple[TrainingText, ...]:
    """Add a number to every name that occurred before: Wolf, Wolf (2)."""
    names: set[str] = set()
    counts: dict[str, int] = {}
    numbered = []
    for story in stories:
        name = story.name
        while name in names:
            counts[story.name] = count = counts.get(story.name, 1) + 1
            name = f"{story.name} ({count})"
        names.add(name)
        numbered.append(replace(story, name=name))
    return tuple(numbered)
