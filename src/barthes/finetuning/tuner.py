"""transformers' Trainer, with checkpoints that are whole or absent and a loss that must stay a number."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import torch
from transformers import (
    EarlyStoppingCallback,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerState,
    TrainingArguments,
)

from barthes.errors import TrainingError
from barthes.finetuning.fused_loss import find_fused_loss
from barthes.finetuning.interruption import Interruption
from barthes.finetuning.measuring import IGNORED, Loss, collate, measure_loss
from barthes.finetuning.paired_rows import choose_rows, count_at_once, draws_numbers, pair_rows
from barthes.finetuning.reporting import Pace
from barthes.finetuning.run import Run
from barthes.finetuning.saving import save

__all__ = ["Tuner"]


class Tuner(Trainer):
    """One run. The loop, the optimizer, the schedule and the state to go on from are the Trainer's."""

    def __init__(self, run: Run, network: Any, interruption: Interruption) -> None:
        self.run = run
        self.network = network
        self.checkpoints = run.folder.checkpoints
        self.interruption = interruption
        self.clock = _Clock(interruption)
        self._aside = self.checkpoints.folder
        self._fused = find_fused_loss(network, run.products)
        at_once = self._pair_rows()
        patience = [EarlyStoppingCallback(run.settings.patience)] if run.held_out else []
        super().__init__(
            model=network,
            args=_arguments(run, at_once),
            train_dataset=run.train,
            eval_dataset=run.held_out or None,
            data_collator=collate,
            callbacks=[self.clock, *patience],
        )
        self.remove_callback(PrinterCallback)

    def _pair_rows(self) -> int:
        """Read rows side by side where that can be done; how many at a time."""
        at_once = count_at_once(self.network.device.type)
        self.network.train()
        if self._fused is None or at_once == 1 or draws_numbers(self._fused):
            return 1
        trained = [each for each in self.network.parameters() if each.requires_grad]
        self._fused = pair_rows(self._fused, trained, at_once=at_once)
        return at_once

    def go_on(self) -> None:
        """Train to the end, from the newest checkpoint if there is one, and leave the best weights."""
        newest = self.checkpoints.newest()
        if newest is None:
            self.train()
        elif not self._is_over(newest):
            self.train(resume_from_checkpoint=str(self.checkpoints.path(newest)))
        if not self.interruption.asked:
            self._load_from_checkpoint(str(self.checkpoints.path(self.best_step)))

    @property
    def best_step(self) -> int:
        """The step with the lowest held-out perplexity; without held-out stories the last one."""
        return self.state.best_global_step or self.state.global_step

    def _is_over(self, step: int) -> bool:
        """Whether nothing is left to train after a checkpoint: all steps are done, or patience was out."""
        path = self.checkpoints.path(step) / "trainer_state.json"
        state = TrainerState.load_from_json(str(path))
        stopping = state.stateful_callbacks.get("EarlyStoppingCallback", {}).get("attributes", {})
        patience = stopping.get("early_stopping_patience_counter", 0)
        over = step >= state.max_steps or (bool(stopping) and patience >= self.run.settings.patience)
        if over:
            self.state = state
        return over

    # What the Trainer calls.

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> torch.Tensor:
        """One batch, forward and backward. A loss that is no number stops the run before it does harm."""
        loss: torch.Tensor = super().training_step(model, inputs, num_items_in_batch)
        self.clock.tokens += inputs["input_ids"].numel()
        if not torch.isfinite(loss):
            raise self._explain(f"the loss is {float(loss)} at step {self.state.global_step + 1}")
        return loss

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The mean over a step's predicted tokens, or a batch's where the Trainer does not count them."""
        if self._fused is None or model is not self.network or return_outputs:
            return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        predicted = (inputs["labels"][:, 1:] != IGNORED).sum()
        return self._fused(inputs) / (predicted if num_items_in_batch is None else num_items_in_batch)

    def evaluate(self, *args: Any, **options: Any) -> dict[str, float]:
        """Measure the held-out stories; the mean is over tokens, not over batches as the Trainer's own."""

        def tell(done: int, total: int) -> None:
            self.run.reporter.measure("held-out perplexity", done, total)

        found = measure_loss(self.network, self.run.held_out, products=self.run.products, progress=tell)
        if not math.isfinite(found.nats):
            raise self._explain(f"the held-out loss is {found.nats} at step {self.state.global_step}")
        metrics = {"eval_loss": found.nats}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Keep a figure for the loss curve, and tell how far the run has come."""
        super().log(logs, start_time)
        if "loss" in logs:
            self.run.reporter.step(self._pace(logs["loss"]))

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        save(self.run, self.network, Path(str(output_dir)))

    def _get_output_dir(self, trial: Any) -> str:
        return str(self._aside)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        step = self.state.global_step
        if not all(torch.isfinite(each).all() for each in self.network.parameters() if each.requires_grad):
            raise self._explain(f"weights are no longer numbers after step {step}")
        with self.checkpoints.write(step) as self._aside:
            super()._save_checkpoint(model, trial)
        self.checkpoints.tidy(best=self.state.best_global_step)
        self.run.reporter.evaluate(self._pace(self._last_loss()))

    def _last_loss(self) -> float:
        losses = [float(entry["loss"]) for entry in self.state.log_history if "loss" in entry]
        return losses[-1] if losses else math.nan

    def _last_perplexity(self) -> float | None:
        losses = [float(entry["eval_loss"]) for entry in self.state.log_history if "eval_loss" in entry]
        return Loss(losses[-1], 0).perplexity if losses else None

    def _pace(self, loss: float) -> Pace:
        state = self.state
        return Pace(
            step=state.global_step,
            steps=state.max_steps,
            loss=loss,
            perplexity=self._last_perplexity(),
            tokens_per_second=self.clock.tokens / max(self.clock.training, 1e-9),
            seconds_left=self.clock.per_step() * (state.max_steps - state.global_step),
        )

    def _explain(self, problem: str) -> TrainingError:
        good = self.state.best_global_step or self.checkpoints.newest()
        rate = f"a lower --learning-rate than {self.run.settings.rate:g}"
        anew = f"Start anew with {rate}"
        if good is None:
            kept, remedy = "", f"{anew} and --restart."
        else:
            kept = f" The state at step {good} is kept in {self.checkpoints.path(good)}."
            remedy = f"{anew}: in another --out, or with --restart, which deletes that state too."
        return TrainingError(f"{problem}: training has gone astray, and was stopped.{kept}", remedy=remedy)


class _Clock(TrainerCallback):
    """Counts seconds, and passes on the wish to stop."""

    def __init__(self, interruption: Interruption) -> None:
        self.interruption = interruption
        self.tokens = 0
        self.training = 0.0
        self._steps = 0
        self._began = self._step_began = time.perf_counter()

    def per_step(self) -> float:
        """Seconds a step, with all that happened in between."""
        return (time.perf_counter() - self._began) / max(self._steps, 1)

    def on_train_begin(self, *args: Any, **options: Any) -> None:
        """Start counting."""
        self._began = time.perf_counter()

    def on_step_begin(self, *args: Any, **options: Any) -> None:
        """Look at the clock."""
        self._step_began = time.perf_counter()

    def on_step_end(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        """Look at the clock again, measure the last step, and stop with a checkpoint if someone asks."""
        self.training += time.perf_counter() - self._step_began
        self._steps += 1
        if state.global_step >= state.max_steps and args.eval_strategy != "no":  # which early versions forget
            control.should_evaluate = True
        if self.interruption.asked:
            control.should_save = control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        """Stop if someone has asked while the held-out stories were measured: all is saved."""
        if self.interruption.asked:
            control.should_training_stop = True


def _arguments(run: Run, at_once: int) -> TrainingArguments:
    """The Trainer's own settings for a run; nothing is reported to anybody, and nothing printed."""
    settings = run.settings
    batch, accumulate = choose_rows(settings.batch, settings.accumulate, at_once=at_once)
    device = run.base.network.device.type
    interval = settings.interval(len(run.train))
    arguments = TrainingArguments(
        output_dir=str(run.folder.checkpoints.folder),
        per_device_train_batch_size=batch,
        gradient_accumulation_steps=accumulate,
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
        load_best_model_at_end=False,
        restore_callback_states_from_checkpoint=True,
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
        log_level="error",
    )
    # Else a variable of accelerate in the environment would decide.
    arguments.mixed_precision = "bf16" if arguments.bf16 else "no"
    if arguments.n_gpu > 1:  # the batches are those of one device; several would change the result
        arguments._n_gpu = 1
    return arguments
