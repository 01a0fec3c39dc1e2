"""`barthes finetune`: stories in, a language model out that knows how they go."""

from __future__ import annotations

import shlex
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from barthes.cli.console import echo, print_error, print_note, sigterm_as_interrupt
from barthes.errors import TrainingError
from barthes.finetuning.training_settings import TrainingSettings
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from barthes.finetuning.texts import Texts
    from barthes.finetuning.training_result import TrainingResult

_LISTS = ("--train", "--validate", "--leave-out")
_SKIPPED = 5  # files that are named one by one
_NOTES = 40  # of a dozen books; a data set may have thousands

_D = TrainingSettings()


class FinetuneCommand(TyperCommand):
    """A command whose lists take several values at once, as a shell makes them of ``tales/*.txt``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line."""
        return super().parse_args(ctx, spread_sources(args))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; SIGTERM interrupts it as Ctrl-C does."""
        with sigterm_as_interrupt():
            return super().invoke(ctx)


def spread_sources(words: Sequence[str]) -> list[str]:
    """Repeat ``--train`` before each of its values.

    >>> spread_sources(["--train", "a.txt", "b.txt", "--out", "x"])
    ['--train', 'a.txt', '--train', 'b.txt', '--out', 'x']
    """
    spread: list[str] = []
    current: str | None = None
    for place, word in enumerate(words):
        if word.startswith("-") and word != "-":  # which is standard input
            current = word if word in _LISTS else None
            spread.append(word)
        elif current is not None and words[place - 1] != current:
            spread += [current, word]
        else:
            spread.append(word)
    return spread


def finetune_cli(
    train: Annotated[
        list[str],
        typer.Option(
            metavar="SOURCE...",
            help="Files, folders, a corpus such as propplearner=PATH, or hub=NAME[@CONFIG][:COLUMN].",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder of the result.")],
    model: Annotated[
        str, typer.Option(help="The base: an embedded model, a folder, a GGUF file or a Hugging Face name.")
    ] = DEFAULT_MODEL,
    method: Annotated[
        Literal["full", "lora"], typer.Option(help="All weights, or small adapters beside them.")
    ] = "full",
    validate: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE...", help="Stories to measure on, instead of a held-out share."),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE...", help="Do not train on tales that share passages with these."),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="ProppLearner's tokens joined by spaces, as the paper has them.")
    ] = False,
    held_out: Annotated[
        float, typer.Option(min=0, max=1, help="The share of stories held out to measure on; 0 for none.")
    ] = _D.held_out,
    epochs: Annotated[int, typer.Option(min=1, help="How often every story is read.")] = _D.epochs,
    learning_rate: Annotated[
        float | None, typer.Option(help="The highest learning rate. [default: 5e-5; 2e-4 for lora]")
    ] = None,
    warmup: Annotated[
        float, typer.Option(min=0, max=1, help="The share of steps in which the learning rate rises.")
    ] = _D.warmup,
    weight_decay: Annotated[float, typer.Option(min=0, help="AdamW weight decay.")] = _D.weight_decay,
    clip: Annotated[float, typer.Option(min=0, help="The largest norm of a gradient.")] = _D.clip,
    block: Annotated[int, typer.Option(min=16, help="Tokens read at once.")] = _D.block,
    batch: Annotated[int, typer.Option(min=1, help="Blocks per batch.")] = _D.batch,
    accumulate: Annotated[int, typer.Option(min=1, help="Gradient accumulation steps.")] = _D.accumulate,
    evaluate_every: Annotated[
        int | None,
        typer.Option(min=1, help="Steps between evaluations and checkpoints. [default: a twelfth of all]"),
    ] = None,
    patience: Annotated[
        int, typer.Option(min=1, help="Stop after this many evaluations without a better perplexity.")
    ] = _D.patience,
    rank: Annotated[int, typer.Option(min=1, help="Rank of the adapters (lora).")] = _D.rank,
    alpha: Annotated[int, typer.Option(min=1, help="Adapters are scaled by alpha / rank (lora).")] = _D.alpha,
    adapter_dtype: Annotated[
        str, typer.Option(help="Store adapters as float32 or, in half the space, bfloat16.")
    ] = _D.adapter_dtype,
    seed: Annotated[int, typer.Option(min=0, help="For everything that is random.")] = _D.seed,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, mps.")] = _D.device,
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16.")] = _D.dtype,
    restart: Annotated[
        bool, typer.Option("--restart", help="Delete an earlier run in the folder and start again.")
    ] = False,
) -> None:
    """Fine-tune a language model on stories.

    The result is a folder that --model takes everywhere, with a model card (README.md), a loss curve and a
    record (barthes.json). The same command goes on after an interruption, to the same result.

    \b
    Examples:
      barthes finetune --train tales/ --out mine            on a folder: domain adaptation
      barthes finetune --train tales/ --out small --method lora      adapters of a few MB
      barthes finetune --train propplearner=ProppLearner.zip --tokens --held-out 0 --out own
                                                            on the tales to be scored
      barthes score tale.txt --model mine                   use it
    """
    from barthes.finetuning.run_folder import RunFolder
    from barthes.finetuning.texts import names_propplearner
    from barthes.finetuning.training import InterruptedTraining, finetune
    from barthes.progress import show_on_stderr

    given = locals()
    settings = TrainingSettings(**{field.name: given[field.name] for field in fields(TrainingSettings)})
    stories = _gather(train, leave_out or [], tokens=tokens)
    measured = _gather(validate, [], tokens=tokens and names_propplearner(validate)) if validate else None
    again = "the same command without --restart" if restart else "the same command"
    lists = {"train": train, "validate": validate or [], "leave_out": leave_out or []}
    try:
        result = finetune(
            stories,
            out=out,
            settings=settings,
            validate=measured or (),
            restart=restart,
            command=describe_command(lists, out, settings, tokens=tokens),
            report=show_on_stderr,
        )
    except InterruptedTraining as interruption:
        print_error(f"interrupted after step {interruption.step}, which is saved; {again} goes on.")
        raise typer.Exit(130) from None
    except KeyboardInterrupt:
        step = RunFolder(out).newest()
        rest = "begins again: nothing was trained yet" if step is None else f"goes on from step {step}"
        print_error(f"interrupted; {again} {rest}.")
        raise typer.Exit(130) from None
    _show(result, shown={*stories.account, *(measured.account if measured else ())})


def _gather(sources: list[str], others: list[str], *, tokens: bool) -> Texts:
    """Read the stories, and print what was left out of them."""
    from barthes.finetuning.overlap import leave_out
    from barthes.finetuning.texts import gather_texts, names_propplearner

    texts = gather_texts(sources, tokens=tokens)
    given = len(texts.stories)
    if others:
        texts = leave_out(texts, gather_texts(others, tokens=tokens and names_propplearner(others)).stories)
    skipped = [f"skipped: {sentence}" for sentence in texts.skipped]
    _print_some(skipped, "skipped: {} more, which the run's barthes.json will list.", most=_SKIPPED)
    _print_some(texts.notes, "and {} more notes, which the run's barthes.json will list.", most=_NOTES)
    if given and not texts.stories:
        raise TrainingError(
            f"of {given} stories none is left: all have passages of those to leave out, or tell them again.",
            remedy="Give other stories to --train or to --leave-out.",
        )
    return texts


def _print_some(sentences: Sequence[str], rest: str, *, most: int) -> None:
    """Print the first of some notes, and how many more there are."""
    for sentence in sentences[:most]:
        print_note(sentence)
    if len(sentences) > most:
        print_note(rest.format(f"{len(sentences) - most:,}"))


def _show(result: TrainingResult, *, shown: set[str]) -> None:
    """Print the figures, with the notes that were not shown while the stories were read."""
    if result.was_finished:
        print_note(f"{result.folder}: this run was finished before; there is nothing to do.")
    notes = [note for note in result.notes if note not in shown]
    _print_some(notes, "and {} more notes, in its barthes.json.", most=_NOTES)
    on = "held-out stories" if result.record["perplexity"]["held_out"] else "the stories trained on"
    echo(f"perplexity on {on}: {result.before:.2f} before, {result.after:.2f} after")
    echo(f"use it with:  --model {shlex.quote(str(result.folder))}")


def describe_command(
    lists: dict[str, list[str]], out: Path, settings: TrainingSettings, *, tokens: bool
) -> str:
    """Return the command that repeats a run; absolute paths, which are private, are cut to their last part.

    >>> describe_command({"train": ["/home/me/tales"]}, Path("x"), TrainingSettings(epochs=5), tokens=False)
    'barthes finetune --train tales --model smollm2-135m --epochs 5 --out x'
    """
    words = ["barthes", "finetune"]
    for name, sources in lists.items():
        if sources:
            words += [_option(name), *map(_shorten, sources)]
    words += ["--tokens"] if tokens else []
    for field in fields(settings):
        value = getattr(settings, field.name)
        is_said = value != field.default or field.name == "model"  # whose default may change
        if is_said and field.name not in ("device",):
            words += [_option(field.name), _shorten(str(value))]
    return shlex.join([*words, "--out", _shorten(str(out))])


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _shorten(source: str) -> str:
    kind, equals, path = source.rpartition("=")
    return f"{kind}{equals}{Path(path).name if Path(path).is_absolute() else path}"
