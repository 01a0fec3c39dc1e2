"""Training texts: the stories of files, folders, corpora and data sets."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from barthes.corpora.opening import CORPUS_NAMES, check_corpus, open_corpus
from barthes.errors import BarthesError, NarrativeError, ReadingError, UnknownNameError
from barthes.files import decode_name
from barthes.reading.source import ABOUT_FILES, STANDARD_INPUT, STORY_SUFFIXES, read_bytes
from barthes.reading.tale_books import read_tales

_HUB = "hub"
_ENDING = "its ending is none of"
_REMEDY = f"Stories are files named {', '.join(f'*{suffix}' for suffix in STORY_SUFFIXES)}."


@dataclass(frozen=True, slots=True)
class TrainingText:
    """One story; no token is predicted across its borders.

    Attributes:
        name: The file's name and, for a book of tales, the tale's title.
        text: The story alone. A run of white space is read as one space.
        stretch: For a passage of something longer, the part that it belongs to: passages of one part are
            held out together or not at all.
    """

    name: str
    text: str
    stretch: str = ""

    @property
    def words(self) -> int:
        """The number of words, as white space divides them."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Texts:
    """The stories of some sources.

    Attributes:
        stories: In the order of the sources.
        skipped: One sentence for each file that was left out, with the reason.
        notes: What else the user should know: guessed encodings, dropped tales.
    """

    stories: tuple[TrainingText, ...]
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def account(self) -> tuple[str, ...]:
        """The notes, and a sentence for every file that was left out."""
        return (*self.notes, *(f"Skipped: {sentence}" for sentence in self.skipped))


def collapse(text: str) -> str:
    """Return a text with every run of white space as one space, as models read it."""
    return " ".join(text.split())


def hash_text(text: str) -> str:
    """Return the SHA-256 of a story, regardless of white space."""
    return hashlib.sha256(collapse(text).encode("utf-8", "surrogatepass")).hexdigest()


def gather_texts(sources: Sequence[str], *, tokens: bool = False) -> Texts:
    """Read the stories of some sources; a story that comes again in the same words is left out.

    Args:
        sources: Each is a file; ``-`` for standard input; a folder, with all that is below it;
            ``KIND=PATH`` for the tales of a corpus without their labels, of a kind in `CORPUS_NAMES`; or
            ``hub=NAME[@configuration][:column]`` for a data set. A book of tales gives its tales.
        tokens: Read ProppLearner's tales as its tokens joined by spaces, as the authors of the paper gave
            them to their model.

    Raises:
        BarthesError: A source cannot be read or makes no sense, or nothing is left to train on. What cannot
            be read in a folder is in `Texts.skipped`.
    """
    from barthes.finetuning.overlap import drop_repeats

    if not sources:
        raise BarthesError("there is nothing to train on.", remedy="Give a file, a folder or KIND=PATH.")
    if tokens and not names_propplearner(sources):
        remedy = "Give propplearner=PATH, or leave the choice of tokens out."
        raise BarthesError("only ProppLearner has tokens of its own.", remedy=remedy)
    parts = [_gather(source, tokens=tokens) for source in sources]
    stories, repeats = drop_repeats([story for part in parts for story in part.stories])
    skipped = tuple(sentence for part in parts for sentence in part.skipped)
    if not stories:
        reasons = sorted(skipped, key=lambda sentence: _ENDING in sentence)  # other reasons say more
        first = f" ({reasons[0].rstrip('.')})" if reasons else ""
        raise ReadingError(f"no story is left to train on{first}.", where=sources[0], remedy=_REMEDY)
    notes = (note for part in parts for note in part.notes)
    return Texts(_number_names(stories), skipped, (*notes, *repeats))


def names_propplearner(sources: Sequence[str]) -> bool:
    """Return whether one of the sources is ProppLearner, the only one with tokens of its own."""
    return any(_read_kind(source) == "propplearner" for source in sources)


def _gather(source: str, *, tokens: bool) -> Texts:
    kind = _read_kind(source)
    if kind == _HUB:
        from barthes.finetuning.hub import read_data_set

        return read_data_set(source.partition("=")[2])
    if kind is not None:
        return _read_corpus(source, tokens=tokens and kind == "propplearner")
    if source and Path(source).is_dir():
        return _read_folder(Path(source))
    return _read_file(source)


def _read_kind(source: str) -> str | None:
    """Return the kind in ``KIND=PATH``, or None for the name of a file or a folder.

    >>> _read_kind("hub=bookcorpus"), _read_kind("tales/a=b.txt"), _read_kind("-")
    ('hub', None, None)
    """
    name, equals, _ = source.partition("=")
    kind = name.strip().lower()
    if kind == _HUB or kind in CORPUS_NAMES:
        return kind if equals else None
    if equals and os.sep not in name and not Path(source).exists():
        raise UnknownNameError("kind of source", name.strip(), [*CORPUS_NAMES, _HUB])
    return None


def _read_corpus(source: str, *, tokens: bool) -> Texts:
    """Read the tales of a corpus, sentences joined by one space as when they are scored."""
    from barthes.corpora.tale import Tale

    kind, path = check_corpus(source)
    stories = []
    for story in open_corpus(source):
        title = story.narrative.title
        name = f"{story.name}: {title}" if title and title != story.name else story.name
        narrative = story.token_narrative if tokens and isinstance(story, Tale) else story.narrative
        stories.append(TrainingText(name, " ".join(map(str, narrative))))
    note = f"{kind} ({decode_name(path)}): its stories are trained on without their labels."
    return Texts(tuple(stories), (), (note,))


def _read_folder(folder: Path) -> Texts:
    """Read all story files in a folder and below; what cannot be read is skipped with a reason."""
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
    """Yield the files in a folder and below, sorted; hidden ones and links to folders are left out."""

    def skip(error: OSError) -> None:
        skipped.append(f"{decode_name(error.filename)}: it cannot be read ({error.strerror}).")

    for parent, folders, names in os.walk(folder, onerror=skip):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(names) if not name.startswith("."))


def _find_fault(path: Path) -> str | None:
    """Return why a file of a folder is not a story, or None."""
    if path.stem.lower() in ABOUT_FILES:
        return "it is about the folder, and no story."
    if not path.name.lower().endswith(STORY_SUFFIXES):
        return f"{_ENDING} {', '.join(STORY_SUFFIXES)}."
    return None if path.is_file() else "it is no file."  # reading a named pipe would never end


def _read_file(source: str) -> Texts:
    """Read the stories of a file, named by it and by their titles."""
    shown = "stdin" if source == STANDARD_INPUT else decode_name(Path(source).name)
    stem = Path(shown).stem
    tales, notes = read_tales(read_bytes(source), where=source, name=shown)
    if not tales:
        raise ReadingError("there is no story in it.", where=source, remedy="Give a file with words in it.")
    stories = [TrainingText(f"{stem}: {tale.title}" if tale.title else stem, tale.text) for tale in tales]
    return Texts(_number_names(stories), notes=tuple(f"{shown}: {note}" for note in notes))


def _number_names(stories: Sequence[TrainingText]) -> tuple[TrainingText, ...]:
    """Return the stories with a number behind every name that occurred before.

    >>> wolves = [TrainingText("Wolf", "He came."), TrainingText("Wolf", "He ate.")]
    >>> [story.name for story in _number_names(wolves)]
    ['Wolf', 'Wolf (2)']
    """
    names: set[str] = set()
    counts: dict[str, int] = {}
    named = []
    for story in stories:
        name = story.name
        while name in names:
            counts[story.name] = count = counts.get(story.name, 1) + 1
            name = f"{story.name} ({count})"
        names.add(name)
        named.append(replace(story, name=name))
    return tuple(named)
