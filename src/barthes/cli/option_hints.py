"""Add the options of a command to what errors of the library advise."""

from __future__ import annotations

from collections.abc import Iterable

from barthes.errors import BarthesError

HINTS = {
    "larger window": "--window",
    "smaller window": "--window",
    "try float32": "--dtype float32",
    "ask for the precision": "--dtype",
    "Known devices": "--device",
    "the device cpu": "--device cpu",
    "Choose cuda": "--device cuda",
    "cuda as the device": "--device cuda",
    "score sentences": "--unit sentence",
    "without a preview": "omit --preview",
    "name its encoding": "--encoding",
    "Leave the chapter out": "--chapter",
    "the annotation 'predicted'": "--annotation predicted",
    "the policy 'skip' or 'zero'": "--undefined",
    "with the influence matrix": "barthes score STORY --format json --influence, and without --top",
    "must hold the influence matrix": "barthes score STORY --format json --influence",
    "another folder": "--out",
    "another folder for results": "--results",
    "another port": "--port",
    "another address": "--host",
    "retry the failed texts": "--retry-failed",
    "fewer workers": "--workers",
    "another shard": "--shard i/n",
    "name the columns": "--id-column and --text-column",
    "use local processes": "--engine local",
    "its address": "--address",
    "GPUs per worker": "--cpus-per-worker, --gpus-per-worker",
    "stories to measure on": "--validate",
    "hold out a share of 0": "--held-out 0",
    "a lower learning rate": "--learning-rate",
    "a smaller block": "--block",
    "a batch of 1": "--batch 1",
    "full fine-tuning": "--method full",
    "or restart": "--restart",
    "or another unit": "--unit",
    "Keep less": "--keep",
    "a longer target": "--to or --words",
    "Choose a share": "--to",
    "Choose a target": "--words",
}
"""What to add in brackets to a phrase in the remedy of an error."""

_known: set[str] = set()


def use_options(options: Iterable[str]) -> None:
    """Set the options of the command that is running; only these are named."""
    _known.clear()
    _known.update(options)


def name_options(text: str) -> str:
    """Add options to advice.

    >>> use_options(["--workers"])
    >>> name_options("Use fewer workers, or a smaller window.")
    'Use fewer workers (--workers), or a smaller window.'
    """
    for phrase, hint in HINTS.items():
        options = {word.rstrip(",") for word in hint.split() if word.startswith("--")}
        if phrase in text and (options <= _known or hint.startswith("barthes ")):
            text = text.replace(phrase, f"{phrase} ({hint})", 1)
    return text


def add_options(error: BarthesError) -> str:
    """Return the message of an error, with options in its remedy."""
    if not error.remedy:
        return str(error)
    return str(error).removesuffix(error.remedy) + name_options(error.remedy)
