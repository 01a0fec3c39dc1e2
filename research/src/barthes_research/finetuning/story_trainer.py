"""transformers' Trainer for a run: its arguments, progress, complete checkpoints and checks of the loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import (
    EarlyStoppingCallback,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from barthes.errors import TrainingError
from barthes.progress import Reporter
from barthes_research.finetuning.base_model import BaseModel, load_weights, name_base, save_adapter
from barthes_research.finetuning.overlap import Split
from barthes_research.finetuning.run_folder import RunFolder
from barthes_research.finetuning.texts import hash_text
from barthes_research.finetuning.token_blocks import (
    MeasuredLoss,
    TokenBlock,
    collate,
    measure_loss,
)
from barthes_research.finetuning.training_settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class Run:
    """What all stages of a run share; `products` is the precision of matrix products."""

    base: BaseModel
    split: Split
    train: list[TokenBlock]
    held_out: list[TokenBlock]
    settings: TrainingSettings
    products: torch.dtype
    folder: RunFolder
    reporter: Reporter

    @property
    def precision(self) -> str:
        """The name of `products`."""
        return str(self.products).removeprefix("torch.")

    def identify(self) -> dict[str, Any]:
        """Return everything that determines the result; an unfinished run is recognised by it."""
        settings = self.settings.to_dict()
        del settings["model"], settings["device"]
        return settings | {
            "block": self.base.block_size(self.settings.block),
            "dtype": self.precision,
            "base": self.base.fingerprint,
            "stories": [hash_text(story.text) for story in self.split.train],
            "held_out_stories": [hash_text(story.text) for story in self.split.held_out],
        }

    def measure(self, network: Any, blocks: list[TokenBlock], what: str) -> MeasuredLoss:
        """Return the network's loss on blocks, and report progress."""
        progress = partial(self.reporter.update, f"measuring {what}")
        return measure_loss(network, blocks, products=self.products, progress=progress)

    def save(self, network: Any, folder: Path, *, final: bool = False) -> None:
        """Write the network, or its adapters; the final ones name the base relative to the run's folder."""
        if self.settings.method == "full":
            network.save_pretrained(folder)
            self.base.tokenizer.save_pretrained(folder)
        else:
            place = self.folder.folder if final else folder
            save_adapter(network, folder, base=name_base(self.base.name, place))


class StoryTrainer(Trainer):
    """The Trainer of a run; loop, optimizer, schedule and saved state are transformers' own."""

    def __init__(self, run: Run, network: Any) -> None:
        self.run = run
        patience = [EarlyStoppingCallback(run.settings.patience)] if run.held_out else []
        super().__init__(
            model=network,
            args=_choose_arguments(run),
            train_dataset=run.train,
            eval_dataset=run.held_out or None,
            data_collator=collate,
            callbacks=[_RunCallback(run), *patience],
        )
        self.remove_callback(PrinterCallback)

    def train_to_end(self) -> TrainerState:
        """Train, from the newest checkpoint if there is one, and load the best weights."""
        folder = self.run.folder
        newest = folder.newest()
        path = None if newest is None else str(folder.checkpoint(newest))
        if path is None or not self._is_over(path):
            with folder.writing("a checkpoint"):
                self.train(resume_from_checkpoint=path)
        best = self.state.best_global_step or self.state.global_step  # the last without held-out stories
        load_weights(self.model, folder.checkpoint(best))
        return self.state

    def _is_over(self, path: str) -> bool:
        """Return whether training had ended at a checkpoint, by its steps or by early stopping."""
        state = TrainerState.load_from_json(f"{path}/trainer_state.json")
        stopping = state.stateful_callbacks.get("EarlyStoppingCallback", {}).get("attributes", {})
        evaluations = stopping.get("early_stopping_patience_counter", 0)
        over = bool(state.global_step >= state.max_steps or evaluations >= self.run.settings.patience)
        if over:
            self.state: TrainerState = state
        return over

    def evaluate(self, *args: Any, **options: Any) -> dict[str, float]:
        """Measure the held-out stories; the mean is over tokens, not over batches as in transformers."""
        loss = self.run.measure(self.model, self.run.held_out, "held-out perplexity")
        if not math.isfinite(loss.nats):
            raise _diverged(self.run, f"the held-out loss is {loss.nats} at step {self.state.global_step}")
        metrics = {"eval_loss": loss.nats}
        self.log(metrics)
        self.control: TrainerControl = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, metrics
        )
        return metrics

    def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
        """Write the weights of a checkpoint; raise TrainingError if they are not finite."""
        model: Any = self.model
        if not all(torch.isfinite(each).all() for each in model.parameters() if each.requires_grad):
            raise _diverged(self.run, f"weights are not finite after step {self.state.global_step}")
        self.run.save(model, Path(str(output_dir)))


class _RunCallback(TrainerCallback):
    """Report progress, check the loss, and complete checkpoints."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def on_step_end(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        if state.global_step >= state.max_steps and args.eval_strategy != "no":  # not in early versions
            control.should_evaluate = True

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **options: Any) -> None:
        if "loss" not in (logs or {}):
            return
        if not math.isfinite(logs["loss"]):  # before anything is saved
            raise _diverged(self.run, f"the loss is {logs['loss']} at step {state.global_step}")
        self.run.reporter.update(_describe(state), state.global_step, state.max_steps)

    def on_save(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        self.run.folder.complete_checkpoint(state.global_step, best=state.best_global_step)
        self.run.reporter.announce(_describe(state))


def _describe(state: TrainerState) -> str:
    """Return a line with the step, its loss and the last held-out perplexity."""
    last = {name: value for entry in state.log_history for name, value in entry.items()}
    parts = [f"step {state.global_step} of {state.max_steps}"]
    if "loss" in last:
        parts.append(f"loss {last['loss']:.3f}")
    if "eval_loss" in last:
        parts.append(f"held-out perplexity {MeasuredLoss(last['eval_loss'], 0).perplexity:.2f}")
    return " · ".join(parts)


def _diverged(run: Run, problem: str) -> TrainingError:
    newest = run.folder.newest()
    kept = ""
    if newest is not None:
        kept = f" The state at step {newest} is kept in {run.folder.checkpoint(newest)}."
    return TrainingError(
        f"{problem}: training has diverged and was stopped.{kept}",
        remedy=f"Start again in another folder, with a lower learning rate than {run.settings.rate:g}.",
        option="learning_rate",
    )


class _OneDevice(TrainingArguments):
    """Arguments for a single device: several would change the batches and so the result."""

    @property
    def n_gpu(self) -> int:
        """The number of devices, at most one."""
        return min(int(super().n_gpu), 1)


def _choose_arguments(run: Run) -> TrainingArguments:
    settings = run.settings
    device = run.base.network.device.type
    interval = settings.interval(len(run.train))
    arguments = _OneDevice(
        output_dir=str(run.folder.checkpoints),
        per_device_train_batch_size=settings.batch,
        gradient_accumulation_steps=settings.accumulate,
        num_train_epochs=settings.epochs,
        learning_rate=settings.rate,
        lr_scheduler_type="cosine",
        warmup_steps=settings.count_warmup(len(run.train)),
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.clip,
        bf16=run.products == torch.bfloat16,
        use_cpu=device == "cpu",
        dataloader_pin_memory=device == "cuda",
        seed=settings.seed,
        data_seed=settings.seed,
        logging_steps=1,
        logging_nan_inf_filter=False,
        eval_strategy="steps" if run.held_out else "no",
        eval_steps=interval,
        save_strategy="steps",
        save_steps=interval,
        metric_for_best_model="loss" if run.held_out else None,
        greater_is_better=False,
        restore_callback_states_from_checkpoint=True,
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
        log_level="error",
    )
    # Otherwise an environment variable of accelerate would decide.
    arguments.mixed_precision = "bf16" if arguments.bf16 else "no"
    return arguments
