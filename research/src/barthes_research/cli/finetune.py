"""`barthes finetune`: fine-tune a language model on stories."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import echo

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import (
    end_interrupted,
    ignore_interrupts,
    print_note,
    sigterm_as_interrupt,
)
from barthes.cli.help_panels import option
from barthes.errors import UnknownNameError
from barthes.models.embedded import DEFAULT_MODEL
from barthes_research.finetuning.training_settings import TrainingSettings

if TYPE_CHECKING:
    from barthes_research.finetuning.texts import Texts
    from barthes_research.finetuning.training_result import TrainingResult

_MAX_NOTES = 40  # notes to print; a folder may have thousands

_D = TrainingSettings()
_OTHERS: dict[str, type] = {  # settings without an option of their own
    "accumulate": int,
    "alpha": int,
    "batch": int,
    "block": int,
    "clip": float,
    "evaluate_every": int,
    "patience": int,
    "rank": int,
    "seed": int,
    "warmup": float,
    "weight_decay": float,
}


def finetune_cli(
    train: Annotated[
        list[str],
        option(
            "Input",
            "File, folder, or a corpus such as propplearner=PATH. Repeatable.",
            metavar="SOURCE",
        ),
    ],
    out: Annotated[Path, option("Output", "Folder for the result.", "--out", "-o", metavar="FOLDER")],
    model: Annotated[str, option("Model", shared.MODEL_HELP, metavar="MODEL")] = DEFAULT_MODEL,
    method: Annotated[
        Literal["full", "lora"], option("Training", "Train all weights, or adapters.")
    ] = "full",
    validate: Annotated[
        list[str] | None,
        option("Input", "Measure perplexity on these stories, not on a held-out share.", metavar="SOURCE"),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        option("Input", "Leave out training stories that share passages with these.", metavar="SOURCE"),
    ] = None,
    tokens: Annotated[bool, option("Input", "Join ProppLearner tokens by spaces.", "--tokens")] = False,
    held_out: Annotated[
        float, option("Input", "Share of stories held out to measure perplexity on.", min=0, max=1)
    ] = _D.held_out,
    epochs: Annotated[int, option("Training", "Passes over all stories.", min=1)] = _D.epochs,
    learning_rate: Annotated[
        float | None, option("Training", "Peak learning rate. [default: 5e-5; 2e-4 for lora]")
    ] = None,
    changed: Annotated[
        list[str] | None,
        option(
            "Training", f"Another setting: {', '.join(_OTHERS)}. Repeatable.", "--set", metavar="NAME=VALUE"
        ),
    ] = None,
    device: shared.Device = _D.device,
    dtype: shared.Dtype = _D.dtype,
) -> None:
    """Fine-tune a language model on stories.

    The result is a folder to use as --model in every command. It contains a model card (README.md) and a
    record of the training (barthes.json). Run the same command again to continue after an interruption;
    the result is the same.

    \b
    Examples:
      barthes finetune --train tales/ --out mine
      barthes finetune --train tales/ --out small --method lora
      barthes finetune --train propplearner=ProppLearner.zip --tokens \\
                       --held-out 0 --out own
      barthes score tale.txt --model mine
    """
    from barthes.progress import show_on_stderr
    from barthes_research.finetuning.run_folder import RunFolder
    from barthes_research.finetuning.texts import names_propplearner
    from barthes_research.finetuning.training import finetune

    settings = TrainingSettings(
        model=model,
        method=method,
        held_out=held_out,
        epochs=epochs,
        learning_rate=learning_rate,
        device=device,
        dtype=dtype,
        **parse_settings(changed or []),
    )
    stories = _gather(train, leave_out or [], tokens=tokens)
    measured = _gather(validate, [], tokens=tokens and names_propplearner(validate)) if validate else None
    try:
        with sigterm_as_interrupt():
            result = finetune(
                stories,
                out=out,
                settings=settings,
                validate=measured or (),
                command=_describe_command(),
                report=show_on_stderr,
            )
    except KeyboardInterrupt:
        ignore_interrupts()
        step = RunFolder(out).newest()
        rest = "start again; nothing was saved yet" if step is None else f"continue from step {step}"
        raise end_interrupted(f"interrupted. Run the same command to {rest}.") from None
    _show(result, shown={*stories.notes, *(measured.notes if measured else ())})


def parse_settings(given: Sequence[str]) -> dict[str, Any]:
    """Return the settings of `--set`.

    >>> parse_settings(["block=128", "clip=0.5"])
    {'block': 128, 'clip': 0.5}
    """
    found: dict[str, Any] = {}
    for each in given:
        name, _, value = (part.strip() for part in each.partition("="))
        if name not in _OTHERS:
            raise UnknownNameError("setting", name, _OTHERS)
        try:
            found[name] = _OTHERS[name](value)
        except ValueError:
            raise typer.BadParameter(f"{name} needs a number, not {value!r}", param_hint="--set") from None
    return found


def _gather(sources: list[str], others: list[str], *, tokens: bool) -> Texts:
    """Read the stories, and print what was left out."""
    from barthes_research.finetuning.overlap import leave_out
    from barthes_research.finetuning.texts import gather_texts, names_propplearner

    texts = gather_texts(sources, tokens=tokens)
    if others:
        texts = leave_out(texts, gather_texts(others, tokens=tokens and names_propplearner(others)).stories)
    _print_notes(texts.notes)
    return texts


def _print_notes(notes: Sequence[str]) -> None:
    """Print the first notes, and the number of the others."""
    for note in notes[:_MAX_NOTES]:
        print_note(note)
    if len(notes) > _MAX_NOTES:
        rest = len(notes) - _MAX_NOTES
        print_note(f"{rest:,} more notes; barthes.json in the folder of the run lists them.")


def _show(result: TrainingResult, *, shown: set[str]) -> None:
    """Print the figures, with the notes that have not been shown yet."""
    if result.was_finished:
        print_note(f"{result.folder}: this run is finished already; nothing to do.")
    notes = [note for note in result.notes if note not in shown]
    _print_notes(notes)
    on = "held-out stories" if result.record["perplexity"]["held_out"] else "the training stories"
    echo(f"perplexity on {on}: {result.before:.2f} before, {result.after:.2f} after")
    echo(f"use it with:  --model {shlex.quote(str(result.folder))}")


def _describe_command() -> str:
    """Return the command line without the user's folders: of absolute paths, only the last part."""
    words = []
    for word in sys.argv[1:]:
        name, equals, value = word.rpartition("=")
        words.append(f"{name}{equals}{Path(value).name if Path(value).is_absolute() else value}")
    return shlex.join(["barthes", *words])


FINETUNE = Command(finetune_cli, panel="Models and data")
