"""Read training texts: the stories of files, folders and corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from barthes.corpora import check_corpus, list_kinds, open_corpus
from barthes.errors import BarthesError, EmptyNarrativeError, NarrativeError, ReadingError, UnknownNameError
from barthes.files import decode_name
from barthes.hashing import hash_bytes
from barthes.reading import find_stories, parse_document
from barthes.reading.source import STANDARD_INPUT, read_bytes


@dataclass(frozen=True, slots=True)
class TrainingText:
    """A story. No token is predicted from another story.

    Attributes:
        name: The file name and, for a tale of a book, its title.
        text: The story. Any white space counts as one space.
    """

    name: str
    text: str

    @property
    def words(self) -> int:
        """The number of words, separated by white space."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Texts:
    """The stories of some sources, in their order, and notes for the user.

    Notes name skipped files, guessed encodings and texts that were left out.
    """

    stories: tuple[TrainingText, ...]
    notes: tuple[str, ...] = ()


def collapse(text: str) -> str:
    """Return a text with any white space replaced by one space, as models read it."""
    return " ".join(text.split())


def hash_text(text: str) -> str:
    """Return the SHA-256 of a story, ignoring differences in white space."""
    return hash_bytes(collapse(text).encode("utf-8", "surrogatepass"))


def gather_texts(sources: Sequence[str], *, tokens: bool = False) -> Texts:
    """Read the stories of some sources; a story that is there twice is returned once.

    Args:
        sources: Each is a file; ``-`` for standard input; a folder, read recursively; or ``KIND=PATH`` for
            the tales of a corpus without their labels, with a kind in `list_kinds()`. A book is divided
            into its tales.
        tokens: Read ProppLearner's tales as its tokens joined by spaces, as the authors of the paper did.

    Raises:
        BarthesError: A source is invalid or cannot be read, or no story is left. Unreadable files in a
            folder have a note instead.
    """
    if not sources:
        raise BarthesError("there is nothing to train on.", remedy="Give a file, a folder or KIND=PATH.")
    if tokens and not names_propplearner(sources):
        remedy = "Give propplearner=PATH, or do not ask for tokens."
        raise BarthesError("only ProppLearner has its own tokens.", remedy=remedy)
    parts = [_gather(source, tokens=tokens) for source in sources]
    notes = [note for part in parts for note in part.notes]
    known: dict[str, TrainingText] = {}
    for story in (story for part in parts for story in part.stories):
        first = known.setdefault(hash_text(story.text), story)
        if first is not story:
            notes.append(f"{story.name} was left out: it repeats {first.name}.")
    if not known:
        reason = f" ({notes[0].rstrip('.')})" if notes else ""
        raise ReadingError(
            f"no story is left to train on{reason}.", where=sources[0], remedy="Give other files."
        )
    return Texts(_number_names(list(known.values())), tuple(notes))


def names_propplearner(sources: Sequence[str]) -> bool:
    """Return whether one of the sources is ProppLearner, the only one with its own tokens."""
    return any(_parse_kind(source) == "propplearner" for source in sources)


def _gather(source: str, *, tokens: bool) -> Texts:
    kind = _parse_kind(source)
    if kind is not None:
        return _read_corpus(source, tokens=tokens and kind == "propplearner")
    return _read_files(source)


def _parse_kind(source: str) -> str | None:
    """Return the kind in ``KIND=PATH``, or None for a file or a folder."""
    name, equals, _ = source.partition("=")
    kind = name.strip().lower()
    if kind in list_kinds():
        return kind if equals else None
    if equals and name.replace("-", "").isalpha() and not Path(source).exists():
        raise UnknownNameError("kind of source", name.strip(), list_kinds())
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
    return Texts(tuple(stories), (f"{kind} ({decode_name(path)}): trained on without its labels.",))


def _read_files(source: str) -> Texts:
    """Read a file, or the story files of a folder without those that cannot be read."""
    stories: list[TrainingText] = []
    notes: list[str] = []
    for path in find_stories([source]):
        try:
            found = _read_file(path)
        except (ReadingError, NarrativeError) as error:
            if str(path) == str(Path(source)):
                raise
            notes.append(f"skipped {decode_name(path.relative_to(source))}: {error.problem}")
        else:
            stories += found.stories
            notes += found.notes
    return Texts(tuple(stories), tuple(notes))


def _read_file(path: Path) -> Texts:
    """Read the stories of a file; their names are its name and their titles."""
    shown = "stdin" if str(path) == STANDARD_INPUT else decode_name(path.name)
    stem = Path(shown).stem
    try:
        document = parse_document(read_bytes(str(path)), where=str(path), name=shown)
    except EmptyNarrativeError as error:
        remedy = "Give a file that contains text."
        raise ReadingError("there is no story in it.", where=path, remedy=remedy) from error
    tales = [(chapter.title, chapter.copy_scored()) for chapter in document.chapters]
    stories = tuple(TrainingText(f"{stem}: {title}" if title else stem, text) for title, text in tales)
    notes = filter(None, [*document.notes, document.describe_marked()])
    return Texts(stories, tuple(f"{shown}: {note}" for note in notes))


def _number_names(stories: Sequence[TrainingText]) -> tuple[TrainingText, ...]:
    """Add a number to every name that occurred before: Wolf, Wolf (2)."""
    counts: Counter[str] = Counter()
    numbered = []
    for story in stories:
        counts[story.name] += 1
        count = counts[story.name]
        numbered.append(replace(story, name=f"{story.name} ({count})") if count > 1 else story)
    return tuple(numbered)
