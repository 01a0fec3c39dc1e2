"""Gathering what a model is trained on: files, folders, corpora and data sets become stories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from barthes.corpora.opening import CORPUS_NAMES, check_corpus, open_corpus
from barthes.errors import BarthesError, NarrativeError, ReadingError, UnknownNameError
from barthes.files import decode_name
from barthes.finetuning.books import read_book
from barthes.finetuning.repeats import drop_repeats
from barthes.finetuning.training_text import Texts, TrainingText, name_apart
from barthes.reading.source import ABOUT_FILES, STANDARD_INPUT, STORY_SUFFIXES, read_bytes

__all__ = ["Texts", "TrainingText", "gather_texts", "names_propplearner"]

_HUB = "hub"
_ENDING = "its ending is none of"
_REMEDY = f"Stories are files named {', '.join(f'*{suffix}' for suffix in STORY_SUFFIXES)}."


def gather_texts(sources: Sequence[str], *, tokens: bool = False) -> Texts:
    """The stories of some sources; one that comes again in the same words is left out.

    Args:
        sources: Each is a file; ``-`` for standard input; a folder, with all that is below it;
            ``KIND=PATH`` for the tales of a corpus without their labels, of a kind in `CORPUS_NAMES`; or
            ``hub=NAME[@configuration][:column]`` for a data set. A book of tales gives its tales.
        tokens: Whether ProppLearner's tales are its tokens joined by spaces, as the authors of the paper
            gave them to their model.

    Raises:
        ReadingError: A file, a corpus or a data set cannot be read, or nothing is left to train on. What
            cannot be read in a folder is in `Texts.skipped`.
        UnknownNameError: There is no such kind of corpus, or no such column.
        BarthesError: There is no source, or there are to be tokens and none is of ProppLearner.
    """
    if not sources:
        raise BarthesError("there is nothing to train on.", remedy="Give a file, a folder or KIND=PATH.")
    if tokens and not names_propplearner(sources):
        remedy = "Give propplearner=PATH, or leave the choice of tokens out."
        raise BarthesError("only ProppLearner has tokens of its own.", remedy=remedy)
    parts = [_gather(source, tokens=tokens) for source in sources]
    stories, repeats = drop_repeats([story for part in parts for story in part.stories])
    skipped = tuple(sentence for part in parts for sentence in part.skipped)
    if not stories:
        telling = sorted(skipped, key=lambda sentence: _ENDING in sentence)  # others say more
        first = f" ({telling[0].rstrip('.')})" if skipped else ""
        raise ReadingError(f"no story is left to train on{first}.", where=sources[0], remedy=_REMEDY)
    notes = (note for part in parts for note in part.notes)
    return Texts(name_apart(stories), skipped, (*notes, *repeats))


def names_propplearner(sources: Sequence[str]) -> bool:
    """Whether one of some sources is ProppLearner, which alone has tokens of its own."""
    return any(_read_kind(source) == "propplearner" for source in sources)


def _gather(source: str, *, tokens: bool) -> Texts:
    kind = _read_kind(source)
    if kind == _HUB:
        from barthes.finetuning.hub import read_data_set

        return read_data_set(source.partition("=")[2])
    if kind is not None:
        return _read_corpus(source, tokens=tokens and kind == "propplearner")
    if Path(source).is_dir() and source:
        return _read_folder(Path(source))
    found = _read_file(source)
    if not found.stories:
        raise ReadingError("there is no story in it.", where=source, remedy="Give a file with words in it.")
    return found


def _read_kind(source: str) -> str | None:
    """The kind in ``KIND=PATH``; None for the name of a file or a folder.

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
    """The tales of a corpus, their sentences joined by one space as they are when they are scored."""
    from barthes.corpora.tale import Tale

    kind, path = check_corpus(source)
    corpus = open_corpus(source)
    stories = []
    for story in corpus:
        title = story.narrative.title
        name = f"{story.name}: {title}" if title and title != story.name else story.name
        narrative = story.token_narrative if tokens and isinstance(story, Tale) else story.narrative
        stories.append(TrainingText(name, " ".join(map(str, narrative))))
    told = f"{kind} ({decode_name(path)}): its stories are trained on without their labels."
    return Texts(tuple(stories), (), (told,))


def _read_folder(folder: Path) -> Texts:
    stories: list[TrainingText] = []
    skipped: list[str] = []
    notes: list[str] = []
    for path in _walk(folder, skipped):
        shown = decode_name(path.relative_to(folder))
        try:
            found = _read_story_file(path)
        except (ReadingError, NarrativeError) as error:
            skipped.append(f"{shown}: {error.problem}")
            continue
        stories += found.stories
        notes += found.notes
    return Texts(tuple(stories), tuple(skipped), tuple(notes))


def _walk(folder: Path, skipped: list[str]) -> Iterator[Path]:
    """The files in a folder and below, sorted; hidden ones are passed over, links to folders not followed."""

    def refuse(error: OSError) -> None:
        skipped.append(f"{decode_name(error.filename)}: it cannot be read ({error.strerror}).")

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(names) if not name.startswith("."))


def _read_story_file(path: Path) -> Texts:
    """The stories of a file in a folder.

    Raises:
        ReadingError: It is not for us: its ending is unknown, it is no file, no text, or nothing is told.
        EmptyNarrativeError: There is no running text in it.
    """
    if path.stem.lower() in ABOUT_FILES:
        raise ReadingError("it is about the folder, and no story.", where=path)
    if not path.name.lower().endswith(STORY_SUFFIXES):
        raise ReadingError(f"{_ENDING} {', '.join(STORY_SUFFIXES)}.", where=path)
    if not path.is_file():  # a named pipe would never end
        raise ReadingError("it is no file.", where=path)
    found = _read_file(str(path))
    if not found.stories:
        raise ReadingError("there is no story in it.", where=path)
    return found


def _read_file(source: str) -> Texts:
    """The stories of a file, named by it and by their titles, and notes on what was left out of it."""
    shown = "stdin" if source == STANDARD_INPUT else decode_name(Path(source).name)
    found = read_book(read_bytes(source), where=source, name=shown)
    stem = Path(shown).stem
    named = (replace(each, name=f"{stem}: {each.name}" if each.name else stem) for each in found.stories)
    return Texts(tuple(named), notes=tuple(f"{shown}: {note}" for note in found.notes))
