"""Fine-tune a language model on stories: split, pack, measure, train, measure again and save."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.errors import ModelError, TrainingError
from barthes.progress import Progress, Reporter, show_nothing
from barthes_research.finetuning.overlap import Split, hold_out, leave_out
from barthes_research.finetuning.run_folder import RunFolder
from barthes_research.finetuning.texts import Texts, TrainingText, collapse, gather_texts
from barthes_research.finetuning.token_blocks import check_enough, count_tokens
from barthes_research.finetuning.training_result import Measured, TrainingResult, write_result
from barthes_research.finetuning.training_settings import TrainingSettings

if TYPE_CHECKING:
    from barthes_research.finetuning.story_trainer import Run

_NO_MEMORY = ("out of memory", "not enough memory", "allocate memory")  # on a GPU, Windows and Linux
_SAMPLE = 64  # training blocks to measure; measuring all would take as long as training


def finetune(
    texts: Texts | Sequence[str | Path | TrainingText],
    *,
    out: str | Path,
    settings: TrainingSettings | None = None,
    validate: Texts | Sequence[str | Path | TrainingText] = (),
    command: str = "",
    report: Progress = show_nothing,
) -> TrainingResult:
    """Fine-tune a language model on stories.

    An interrupted or killed run resumes from its last checkpoint when it is called again, and gives the same
    weights as an uninterrupted one.

    Args:
        texts: Stories (`TrainingText`) or their sources: files, folders, ``propplearner=PATH``; or the result
            of `gather_texts`, whose notes are then recorded.
        out: The folder of the result, for `barthes.load_model`; checkpoints are kept in it meanwhile.
        settings: How to train.
        validate: Stories to measure on, instead of a share of `texts`.
        command: The command line, for the model card.
        report: Receives progress.

    Raises:
        TrainingError: Too little text, another run in the folder, or a loss that is not finite.
        ModelError: The base cannot be loaded, or not be trained as loaded.
        OutputError: The folder cannot be used or the disk is full; the last checkpoint is kept.
    """
    settings = settings or TrainingSettings()
    split = _split(_gather(texts), _gather(validate), settings)
    folder = RunFolder(Path(out))
    with folder.lock(), report() as reporter, _explain_memory():
        folder.check()  # before the model is loaded
        run = _prepare(split, settings, folder, reporter)
        record = folder.open(run.identify())
        if record is not None:
            return TrainingResult(folder.folder, record, was_finished=True)
        with _quiet_libraries():
            return _execute(run, command)


def _gather(texts: Texts | Sequence[str | Path | TrainingText]) -> Texts:
    """Return the given stories, followed by those of the sources."""
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
        texts = leave_out(texts, validation.stories, retellings=False)
        split = Split(texts.stories, validation.stories, given=True)
    else:
        split = hold_out(texts.stories, settings.held_out, seed=settings.seed)
    return replace(split, notes=(*texts.notes, *validation.notes))


def _prepare(split: Split, settings: TrainingSettings, folder: RunFolder, reporter: Reporter) -> Run:
    """Load the base, pack the stories into blocks, and move the network to its device."""
    from barthes.models.hardware import choose_device, choose_dtype
    from barthes_research.finetuning.base_model import load_base
    from barthes_research.finetuning.story_trainer import Run

    if ":" in settings.device:
        raise ModelError(
            f"the device {settings.device!r} cannot be chosen by number.",
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


def _execute(run: Run, command: str) -> TrainingResult:
    """Measure, train, measure again, and write the result."""
    from barthes_research.finetuning.base_model import add_adapters
    from barthes_research.finetuning.story_trainer import StoryTrainer

    run.reporter.announce(_describe(run))
    network = run.base.network
    before = run.folder.state().get("before") or _measure(run, network)
    run.folder.update_state({"before": before})
    use_cache = getattr(network.config, "use_cache", None)
    if run.settings.method == "lora":
        network = add_adapters(network, run.settings, name=run.base.name)
    state = StoryTrainer(run, network).train_to_end()
    network.config.use_cache = use_cache  # the Trainer turns it off
    run.reporter.announce("training is done; measuring again and writing the result")
    after = _measure(run, network)
    return write_result(run, network, state, before=before, after=after, command=command)


def _measure(run: Run, network: Any) -> Measured:
    """Return the losses on the held-out stories and on a sample of the training stories."""
    held_out = run.measure(network, run.held_out, "held-out perplexity").to_dict() if run.held_out else None
    train = run.measure(network, run.train[:_SAMPLE], "training perplexity").to_dict()
    return {"held_out": held_out, "train": train}


@contextmanager
def _explain_memory() -> Iterator[None]:
    """Turn errors about memory, of whatever type, into a TrainingError."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not any(words in str(error) for words in _NO_MEMORY):
            raise
        cause = str(error).partition(".")[0][:200]
        raise TrainingError(
            f"out of memory{f' ({cause})' if cause else ''}.",
            remedy="Train in another folder with a smaller block, a batch of 1, or adapters (lora).",
            option="block batch method",
        ) from error


@contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Silence messages and progress bars of transformers, and FutureWarnings."""
    from barthes.models.pretrained import quiet_transformers

    with quiet_transformers(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning)
        yield


def _describe(run: Run) -> str:
    """Return a line about the texts and the steps of a run."""
    steps, newest = run.settings.count_steps(len(run.train)), run.folder.newest()
    resumed = "" if newest is None else f", resuming after step {newest}"
    return (
        f"training on {_count(len(run.split.train), 'story', 'stories')}"
        f" ({len(run.split.held_out) or 'none'} held out):"
        f" {count_tokens(run.train):,} tokens in {_count(len(run.train), 'block')},"
        f" {_count(run.settings.epochs, 'epoch')}, {_count(steps, 'step')}{resumed}"
    )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
