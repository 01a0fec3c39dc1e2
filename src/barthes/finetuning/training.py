"""Fine-tune a language model on stories: split, pack, measure, train, measure again and save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.errors import ModelError, TrainingError
from barthes.files import expand_home
from barthes.finetuning.overlap import Split, hold_out, set_apart
from barthes.finetuning.run_folder import RunFolder
from barthes.finetuning.texts import Texts, TrainingText, collapse, gather_texts
from barthes.finetuning.token_blocks import check_enough, count_tokens
from barthes.finetuning.training_progress import hear_interruption, quiet_libraries
from barthes.finetuning.training_result import Measured, TrainingResult, write_result
from barthes.finetuning.training_settings import TrainingSettings
from barthes.progress import Progress, Reporter, show_nothing

if TYPE_CHECKING:
    from barthes.finetuning.story_trainer import Run

_NO_MEMORY = ("out of memory", "not enough memory", "allocate memory")  # of a GPU, Windows and Linux
_SAMPLE = 64  # blocks of the training stories that are measured, at most: all would take as long as training


class InterruptedTraining(KeyboardInterrupt):
    """Ctrl-C while training: the run is saved up to this step, and resumed when it is called again."""

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
    report: Progress = show_nothing,
) -> TrainingResult:
    """Fine-tune a language model on stories.

    A run that was killed is resumed from its last checkpoint when it is called again, and ends with the same
    weights as one that was not.

    Args:
        texts: Stories, or where to find them: files, folders, ``propplearner=PATH``, ``hub=NAME``; or what
            `gather_texts` has found, whose notes are then part of the record.
        out: The folder of the result, which `barthes.load_model` loads; checkpoints are kept in it meanwhile.
        settings: How to train.
        validate: Stories to measure on, instead of a share of `texts`.
        restart: Delete an earlier run in `out` and start again.
        command: The command line, for the model card.
        report: Receives progress.

    Raises:
        TrainingError: Too little text, another run or the base model in the folder, or a loss that is no
            longer a number.
        ModelError: The base cannot be loaded or cannot be trained as loaded.
        OutputError: The folder cannot be used or the disk is full; the last checkpoint survives.
        InterruptedTraining: Ctrl-C; the run has been saved.
    """
    settings = settings or TrainingSettings()
    split = _split(_gather(texts), _gather(validate), settings)
    folder = RunFolder(Path(out))
    refuse_base_folder(folder.folder, settings.model)
    with folder.claim(), report() as reporter, _explain_memory():
        folder.check(restart=restart)  # before the model is loaded
        run = _prepare(split, settings, folder, reporter)
        record = folder.open(run.identify(), restart=restart)
        if record is not None:
            return TrainingResult(folder.folder, record, was_finished=True)
        with quiet_libraries():
            return _carry_out(run, command)


def _gather(texts: Texts | Sequence[str | Path | TrainingText]) -> Texts:
    """Return the stories given, and then those of the sources."""
    if isinstance(texts, Texts):
        return texts
    given = [texts] if isinstance(texts, str | Path) else list(texts)
    stories = tuple(each for each in given if isinstance(each, TrainingText) and collapse(each.text))
    sources = [str(each) for each in given if not isinstance(each, TrainingText)]
    found = gather_texts(sources) if sources else Texts(())
    return replace(found, stories=(*stories, *found.stories))


def _split(texts: Texts, validation: Texts, settings: TrainingSettings) -> Split:
    if not texts.stories:
        raise TrainingError("there is no story to train on.", remedy="Give files or folders with stories.")
    if validation.stories:
        split = set_apart(texts.stories, validation.stories)
    else:
        split = hold_out(texts.stories, settings.held_out, seed=settings.seed)
    return replace(split, notes=(*texts.account, *validation.account, *split.notes))


def refuse_base_folder(folder: Path, model: str) -> None:
    """Refuse to write where the base model is: it would be overwritten, and a restart would delete it."""
    from barthes.models.embedded import EMBEDDED
    from barthes.models.loading import list_model_files

    path, out = expand_home(model), folder.resolve()
    is_named = model not in EMBEDDED and path.resolve() == out  # also a name on the hub, in this folder
    if is_named or any(out in file.resolve().parents for file in list_model_files(model)):
        raise TrainingError(
            f"the base model ({model}), or its base, is in this folder or has its name.",
            where=folder,
            remedy="Choose another folder; the result will name its base.",
        )


def _prepare(split: Split, settings: TrainingSettings, folder: RunFolder, reporter: Reporter) -> Run:
    """Load the base, pack the stories into blocks, and move the network to its device."""
    from barthes.finetuning.base_model import load_base
    from barthes.finetuning.story_trainer import Run
    from barthes.models.hardware import choose_device, choose_dtype

    if ":" in settings.device:
        raise ModelError(
            f"the device {settings.device!r} cannot be named here.",
            remedy="Give cuda as the device, and choose the card with CUDA_VISIBLE_DEVICES.",
        )
    device = choose_device(settings.device)
    products = choose_dtype(settings.dtype, device)
    reporter.announce(f"loading {settings.model}")
    base = load_base(settings.model)
    train, held_out = base.pack(split.train, settings), base.pack(split.held_out, settings)
    check_enough(train, base.block_size(settings.block))
    base.network.to(device)
    return Run(base, split, train, held_out, settings, products, folder, reporter)


def _carry_out(run: Run, command: str) -> TrainingResult:
    """Measure, train, measure again, and write the result."""
    from barthes.finetuning.base_model import add_adapters, round_adapters

    run.reporter.announce(_describe(run))
    network = run.base.network
    before = run.folder.notes().get("before") or _measure(run, network)
    run.folder.note({"before": before})
    use_cache = getattr(network.config, "use_cache", None)
    if run.settings.method == "lora":
        network = add_adapters(network, run.settings, name=run.base.name)
    state = _train(run, network)
    network.config.use_cache = use_cache  # which the Trainer switches off
    if run.settings.method == "lora":
        round_adapters(network, run.settings.adapter_dtype)
    run.reporter.announce("trained; measuring once more, and writing the result")
    after = _measure(run, network)
    return write_result(run, network, state, before=before, after=after, command=command)


def _train(run: Run, network: Any) -> Any:
    """Train to the end, and return the Trainer's state."""
    from barthes.finetuning.story_trainer import StoryTrainer

    warning = "finishing what is under way, then saving; Ctrl-C again to stop at once"
    with hear_interruption(partial(run.reporter.announce, warning)) as interrupted:
        state = StoryTrainer(run, network, interrupted).train_to_end()
    if interrupted.is_set():
        raise InterruptedTraining(state.global_step)
    return state


def _measure(run: Run, network: Any) -> Measured:
    """Return the losses on the held-out stories and on those trained on (at most 64 blocks of them)."""
    parts = {
        "held_out": ("held-out stories", run.held_out),
        "train": ("stories trained on", run.train[:_SAMPLE]),
    }
    return {
        part: run.measure(network, blocks, f"perplexity ({what})").to_dict() if blocks else None
        for part, (what, blocks) in parts.items()
    }


@contextmanager
def _explain_memory() -> Iterator[None]:
    """Explain too little memory, which torch raises as an error of any kind."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not any(words in str(error) for words in _NO_MEMORY):
            raise
        raise TrainingError(
            f"there is too little memory ({str(error).partition('.')[0][:200] or 'none is left'}).",
            remedy="Restart with a smaller block, a batch of 1, or adapters (lora).",
        ) from error


def _describe(run: Run) -> str:
    """Return a line about what is to be done."""
    steps, newest = run.settings.count_steps(len(run.train)), run.folder.newest()
    begun = "" if newest is None else f", {newest} of them done before"
    held_out = f"{len(run.split.held_out)} held out" if run.held_out else "none held out"
    return (
        f"training on {_count(len(run.split.train), 'story', 'stories')} ({held_out}):"
        f" {count_tokens(run.train):,} tokens in {_count(len(run.train), 'block')},"
        f" {_count(run.settings.epochs, 'epoch')}, {_count(steps, 'step')}{begun}"
    )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
