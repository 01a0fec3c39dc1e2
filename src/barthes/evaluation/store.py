"""Results on disk, one small file a story, so that nothing is computed twice and no interruption costs much.

::

    scores/
      ProppLearner-a68a99d8/published-formula/smollm2-135m/sd/story1.json      {"identity": {…}, "values": …}

A file counts only if its identity is the one that is asked for. One from another version, model or text,
or one that is damaged, is passed over and written anew; `ScoreStore.stale` tells.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from barthes.errors import OutputError
from barthes.evaluation.identity import Identity
from barthes.files import expand_home, write_atomically
from barthes.models.store import models_folder

__all__ = ["ScoreStore", "are_scores", "make_folder", "scores_folder"]

# The most telling difference first: it is the one that is named.
_REASONS = {
    "version": "were made by another version of Barthes ({old}, now {new})",
    "revision": "were made by an earlier revision of the computation",
    "text": "are of another text under the same name",
    "precision": "were made in another precision ({old}, now {new})",
    "fingerprint": "were made with other weights of the model",
    "annotation": "rest on another annotation",
}
_DAMAGED = "cannot be read"


class ScoreStore:
    """Scores of single methods, and whatever else experiments compute story by story.

    Args:
        folder: Where they are; it need not exist.

    Attributes:
        folder: The folder.
        kept: How many results this object has written.
        found: How many it has found that can be used, those that were asked for twice counting twice.

    >>> import tempfile
    >>> identity = Identity("tales", "wolf", "a hash of the text", "sd", model="counting", fingerprint="f")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = ScoreStore(folder)
    ...     before = store.fetch(identity)
    ...     store.keep(identity, [0.1, 0.2])
    ...     before, store.fetch(identity), store.stale
    (None, [0.1, 0.2], [])
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = expand_home(folder)
        self.kept = 0
        self.found = 0
        self._stale: Counter[tuple[str, str]] = Counter()

    @property
    def stale(self) -> list[str]:
        """What was found but could not be used, and why: a sentence for each folder and reason."""
        return [
            f"{count} stored {'result' if count == 1 else 'results'} in {folder} {reason}: computed again."
            for (folder, reason), count in self._stale.items()
        ]

    def fetch(self, identity: Identity, *, check: Callable[[Any], bool] = lambda values: True) -> Any:
        """What was kept under that identity; None where there is nothing, or nothing that can be used.

        Args:
            identity: What the values depend on.
            check: Whether the values can be what was kept; those that cannot are damaged.
        """
        path = self.folder / identity.path
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            found, values = dict(content["identity"]), content["values"]
            reason = _compare(found, identity.to_dict())
            if reason is None and (values is None or not check(values)):
                reason = _DAMAGED
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            reason = _DAMAGED
        if reason is None:
            self.found += 1
            return values
        self._stale[(str(path.parent), reason)] += 1
        return None

    def keep(self, identity: Identity, values: Any) -> None:
        """Write values, as JSON can hold them, whole or not at all, in place of what was there before.

        Raises:
            OutputError: They cannot be written.
        """
        content = json.dumps({"identity": identity.to_dict(), "values": values}, allow_nan=False)
        path = self.folder / identity.path
        make_folder(path.parent)
        write_atomically(path, content + "\n")
        self.kept += 1


def scores_folder() -> Path:
    """Where scores are kept unless another folder is named: `scores`, beside the models in Barthes' cache."""
    return models_folder().with_name("scores")


def are_scores(values: Any, count: int) -> bool:
    """Whether what was found can be the scores of so many sentences: finite numbers, as they were written.

    >>> are_scores([0.1, -2.0], 2), are_scores([0.1], 2), are_scores([0.1, None], 2)
    (True, False, False)
    """
    if not isinstance(values, list) or len(values) != count:
        return False
    return all(isinstance(value, float) and math.isfinite(value) for value in values)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, unless it is there.

    Raises:
        OutputError: It cannot be made, or may not be written to.
    """
    remedy = "Choose a folder that is yours and has room."
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = "is a file, not a folder" if folder.is_file() else f"cannot be made ({error.strerror})"
        raise OutputError(f"{what}.", where=folder, remedy=remedy) from error
    if not os.access(folder, os.W_OK):
        raise OutputError("may not be written to.", where=folder, remedy=remedy)


def _compare(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """In what way two identities differ, or None where they are the same."""
    if old == new:
        return None
    for field, reason in _REASONS.items():
        if old.get(field) != new[field]:
            return reason.format(old=old.get(field, "an unknown one"), new=new[field])
    return "were kept for something else"
