"""Fine-tune a language model on stories: hold out, pack, train, save, and write down what was done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from barthes.errors import TrainingError
from barthes.files import expand_home
from barthes.finetuning.blocks import count_tokens
from barthes.finetuning.held_out import Parts, hold_out, set_apart
from barthes.finetuning.memory import memory_kept
from barthes.finetuning.outcome import Outcome
from barthes.finetuning.reporting import Report, show_nothing
from barthes.finetuning.run import Run, measure, prepare
from barthes.finetuning.run_folder import RunFolder
from barthes.finetuning.settings import TrainingSettings
from barthes.finetuning.training_text import Texts, TrainingText, collapse

__all__ = ["InterruptedTraining", "finetune"]

_NO_MEMORY = ("out of memory", "not enough memory", "allocate memory")  # of a GPU, Windows and Linux


class InterruptedTraining(KeyboardInterrupt):
    """Ctrl-C while training: the run has been saved up to this step, and goes on when it is called again."""

    def __init__(self, step: int) -> None:
        super().__init__(f"stopped after step {step}")
        self.step = step


def finetune(
    texts: Texts | Sequence[str | Path | TrainingText],
    *,
    out: str | Path,
    settings: TrainingSettings | None = None,
    validate: Texts | Sequence[str | Path | TrainingText] = (),
    restart: bool = False,
    command: str = "",
    report: Report = show_nothing,
) -> Outcome:
    """Fine-tune a language model on stories.

    A run that was killed goes on from its last checkpoint when it is called again, and ends with the same
    weights as one that was not.

    Args:
        texts: Stories, or where to find them: files, folders, ``propplearner=PATH``, ``hub=NAME``; or what
            `gather_texts` has found, whose account is then part of the record.
        out: The folder of the result, which `barthes.load_model` loads; checkpoints are kept in it meanwhile.
        settings: How to train.
        validate: Stories to measure on, instead of a share of `texts`.
        restart: Delete an earlier run in `out` and start anew.
        command: What was typed, for the model card.
        report: Who hears how far it has come.

    Raises:
        TrainingError: Too little text, another run or the base model in the folder, or a loss that is no
            longer a number.
        ModelError: The base cannot be had or cannot be trained as loaded.
        OutputError: The folder cannot be used or the disk is full; the last checkpoint survives.
        InterruptedTraining: Ctrl-C; the run has been saved.
    """
    settings = settings or TrainingSettings()
    parts = _divide(_gather(texts), _gather(validate), settings)
    folder = RunFolder(Path(out))
    _keep_apart(folder, settings.model)
    with folder.claim(), report() as reporter, _explaining_memory(), memory_kept():
        folder.check(restart=restart)  # before the model is loaded
        run = prepare(parts, settings, folder, reporter)
        record = folder.open(run.identify(), restart=restart)
        if record is not None:
            return Outcome(folder.folder, record, was_finished=True)
        from barthes.finetuning.quiet import quiet_libraries

        with quiet_libraries():
            return _carry_out(run, command)


def _keep_apart(folder: RunFolder, model: str) -> None:
    """Refuse to write where the base model is: it would be overwritten, and --restart would delete it."""
    from barthes.models.embedded import EMBEDDED
    from barthes.models.loading import list_model_files

    path, out = expand_home(model), folder.folder.resolve()
    is_named = model not in EMBEDDED and path.resolve() == out  # of the hub, too: its name is the folder's
    if is_named or any(out in file.resolve().parents for file in list_model_files(model)):
        raise TrainingError(
            f"the base model ({model}), or its base, is in this folder or has its name.",
            where=folder.folder,
            remedy="Give another --out; the result will name its base.",
        )


def _gather(texts: Texts | Sequence[str | Path | TrainingText]) -> Texts:
    """The stories themselves: those given, and then those of the sources."""
    if isinstance(texts, Texts):
        return texts
    given = [texts] if isinstance(texts, str | Path) else list(texts)
    stories = tuple(each for each in given if isinstance(each, TrainingText) and collapse(each.text))
    sources = [str(each) for each in given if not isinstance(each, TrainingText)]
    if not sources:
        return Texts(stories)
    from barthes.finetuning.texts import gather_texts

    found = gather_texts(sources)
    return replace(found, stories=(*stories, *found.stories))


def _divide(texts: Texts, validation: Texts, settings: TrainingSettings) -> Parts:
    if not texts.stories:
        raise TrainingError("there is no story to train on.", remedy="Give files or folders with stories.")
    if validation.stories:
        parts = set_apart(texts.stories, validation.stories)
    else:
        parts = hold_out(texts.stories, settings.held_out, seed=settings.seed)
    return replace(parts, notes=(*texts.account, *validation.account, *parts.notes))


def _carry_out(run: Run, command: str) -> Outcome:
    """Measure, train, measure again, and write the result."""
    from barthes.finetuning.adapters import add_adapters, round_adapters
    from barthes.finetuning.result import write_result

    run.reporter.announce(_describe(run))
    before = run.folder.noted().get("before") or measure(run, run.base.network)
    run.folder.note({"before": before})
    network, use_cache = run.base.network, getattr(run.base.network.config, "use_cache", None)
    if run.settings.method == "lora":
        network = add_adapters(network, run.settings, name=run.base.name)
    state = _train(run, network)
    network.config.use_cache = use_cache  # which the Trainer switches off
    if run.settings.method == "lora":
        round_adapters(network, run.settings.adapter_dtype)
    run.reporter.announce("trained; measuring once more, and writing the result")
    after = measure(run, network)
    return write_result(run, network, state, before=before, after=after, command=command)


def _train(run: Run, network: Any) -> Any:
    """Train to the end and leave the best weights in the network; the Trainer's state tells how it went."""
    from barthes.finetuning.interruption import hear_interruption
    from barthes.finetuning.tuner import Tuner

    warn = partial(
        run.reporter.announce, "finishing what is under way, then saving; Ctrl-C again to stop at once"
    )
    with hear_interruption(warn) as interruption:
        tuner = Tuner(run, network, interruption)
        tuner.go_on()
    if interruption.asked:
        raise InterruptedTraining(tuner.state.global_step)
    return tuner.state


@contextmanager
def _explaining_memory() -> Iterator[None]:
    """Words for too little memory, which torch tells as an error of any kind."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not any(words in str(error) for words in _NO_MEMORY):
            raise
        raise TrainingError(
            f"there is too little memory ({str(error).partition('.')[0][:200] or 'none is left'}).",
            remedy="Give a smaller --block, --batch 1 or --method lora, each with --restart.",
        ) from error


def _describe(run: Run) -> str:
    """What is about to happen, in a line."""
    steps, newest = run.settings.count_steps(len(run.train)), run.folder.checkpoints.newest()
    begun = "" if newest is None else f", {newest} of them done before"
    held_out = f"{len(run.parts.held_out)} held out" if run.held_out else "none held out"
    return (
        f"training on {_count(len(run.parts.train), 'story', 'stories')} ({held_out}):"
        f" {count_tokens(run.train):,} tokens in {_count(len(run.train), 'block')},"
        f" {_count(run.settings.epochs, 'epoch')}, {_count(steps, 'step')}{begun}"
    )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
