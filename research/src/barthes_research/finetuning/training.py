"""Fine-tune a language model on stories: split, pack, measure, train, measure again and save."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from barthes.errors import ModelError, TrainingError
from barthes.files import expand_home
from barthes.progress import Progress, Reporter, show_nothing
from barthes_research.finetuning.overlap import Split, hold_out, set_apart
from barthes_research.finetuning.run_folder import RunFolder
from barthes_research.finetuning.texts import Texts, TrainingText, collapse, gather_texts
from barthes_research.finetuning.token_blocks import check_enough, count_tokens
from barthes_research.finetuning.training_result import Measured, TrainingResult, write_result
from barthes_research.finetuning.training_settings import TrainingSettings

if TYPE_CHECKING:
    from barthes_research.finetuning.story_trainer import Run

_NO_MEMORY = ("out of memory", "not enough memory", "allocate memory")  # on a GPU, Windows and Linux
_SAMPLE = 64  # training blocks to measure; measuring all would take as long as training


class InterruptedTraining(KeyboardInterrupt):
    """Ctrl-C while training; the run is saved up to `step` and resumes when it is called again."""

    def __init__(self, step: int) -> None:
        super().__init__(f"stopped after step {step}")
        self.step = step


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
        texts: Stories or their sources: files, folders, ``propplearner=PATH``, ``hub=NAME``; or the result of
            `gather_texts`, whose notes are then recorded.
        out: The folder of the result, for `barthes.load_model`; checkpoints are kept in it meanwhile.
        settings: How to train.
        validate: Stories to measure on, instead of a share of `texts`.
        command: The command line, for the model card.
        report: Receives progress.

    Raises:
        TrainingError: Too little text, another run or the base model in the folder, or a loss that is not
            finite.
        ModelError: The base cannot be loaded, or not be trained as loaded.
        OutputError: The folder cannot be used or the disk is full; the last checkpoint is kept.
        InterruptedTraining: Ctrl-C; the run has been saved.
    """
    settings = settings or TrainingSettings()
    split = _split(_gather(texts), _gather(validate), settings)
    folder = RunFolder(Path(out))
    refuse_base_folder(folder.folder, settings.model)
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
        split = set_apart(texts.stories, validation.stories)
    else:
        split = hold_out(texts.stories, settings.held_out, seed=settings.seed)
    return replace(split, notes=(*texts.account, *validation.account, *split.notes))


def refuse_base_folder(folder: Path, model: str) -> None:
    """Raise TrainingError if the base model is in the folder, where it would be overwritten or deleted."""
    from barthes.models.embedded import EMBEDDED
    from barthes_research.adapters.source import INCLUDED, list_files

    path, out = expand_home(model), folder.resolve()
    is_built_in = model in EMBEDDED or model in INCLUDED
    is_named = not is_built_in and path.resolve() == out  # also a name on the hub, in this folder
    if is_named or any(out in file.resolve().parents for file in list_files(model)):
        raise TrainingError(
            f"the base model ({model}), or its base, is in this folder or has its name.",
            where=folder,
            remedy="Choose another folder; the result will name its base.",
        )


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
    from barthes_research.finetuning.base_model import add_adapters, round_adapters

    run.reporter.announce(_describe(run))
    network = run.base.network
    before = run.folder.state().get("before") or _measure(run, network)
    run.folder.update_state({"before": before})
    use_cache = getattr(network.config, "use_cache", None)
    if run.settings.method == "lora":
        network = add_adapters(network, run.settings, name=run.base.name)
    state = _train(run, network)
    network.config.use_cache = use_cache  # the Trainer turns it off
    if run.settings.method == "lora":
        round_adapters(network, run.settings.adapter_dtype)
    run.reporter.announce("training is done; measuring again and writing the result")
    after = _measure(run, network)
    return write_result(run, network, state, before=before, after=after, command=command)


def _train(run: Run, network: Any) -> Any:
    """Train to the end, and return the Trainer's state."""
    from barthes_research.finetuning.story_trainer import StoryTrainer

    warning = "finishing the current step, then saving; press Ctrl-C again to stop at once"
    with _catch_interruption(partial(run.reporter.announce, warning)) as interrupted:
        state = StoryTrainer(run, network, interrupted).train_to_end()
    if interrupted.is_set():
        raise InterruptedTraining(state.global_step)
    return state


@contextmanager
def _catch_interruption(announce: Callable[[], None]) -> Iterator[threading.Event]:
    """Set the event on the first Ctrl-C or SIGTERM; a second one acts as usual.

    Signals that the program handles itself are left alone.
    """
    interrupted = threading.Event()
    in_main = threading.current_thread() is threading.main_thread()  # the only one that receives signals
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM) if in_main}
    defaults = (signal.SIG_DFL, signal.default_int_handler)
    replaced = {number: handler for number, handler in handlers.items() if handler in defaults}

    def restore() -> None:
        for number, handler in replaced.items():
            signal.signal(number, handler)

    def handle(number: int, frame: FrameType | None) -> None:
        interrupted.set()
        restore()
        with suppress(RuntimeError):  # the signal came while a line was being printed
            announce()

    for number in replaced:
        signal.signal(number, handle)
    try:
        yield interrupted
    finally:
        restore()


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
