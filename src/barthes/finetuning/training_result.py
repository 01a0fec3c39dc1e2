"""The end of a run: write the model, its card, its loss curve and the record into one folder."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.files import write_atomically
from barthes.finetuning.model_card import CURVE, find_licence, render_card
from barthes.finetuning.texts import TrainingText, hash_text
from barthes.finetuning.token_blocks import count_tokens
from barthes.version import __version__

if TYPE_CHECKING:
    from barthes.finetuning.story_trainer import Run

__all__ = ["Measured", "TrainingResult", "draw_curve", "write_result"]

Measured = dict[str, dict[str, float] | None]
"""The loss on the stories trained on (``train``) and on those held out (``held_out``), or None."""

Points = Sequence[Sequence[float]]
"""Pairs of a step and a loss, nats per token."""

_LIBRARIES = ("torch", "transformers", "accelerate", "peft", "tokenizers")
_FEW = 1000  # held-out tokens below which their perplexity says little: less than a block


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A finished run.

    Attributes:
        folder: What `barthes.load_model` loads.
        record: The content of ``barthes.json``: settings, texts, figures, versions.
        notes: What the user should know.
        was_finished: Whether the run had been finished before, so that nothing was done.
    """

    folder: Path
    record: dict[str, Any]
    notes: tuple[str, ...] = ()
    was_finished: bool = False

    @property
    def before(self) -> float:
        """Perplexity of the base on the held-out stories; without any, on those trained on."""
        return self._find("before")

    @property
    def after(self) -> float:
        """The same of the fine-tuned model."""
        return self._find("after")

    def _find(self, when: str) -> float:
        figures = self.record["perplexity"]
        return float((figures["held_out"] or figures["train"])[when]["perplexity"])


def write_result(
    run: Run, network: Any, state: Any, *, before: Measured, after: Measured, command: str
) -> TrainingResult:
    """Write everything; the record, by which the folder counts as finished, comes last.

    Raises:
        OutputError: The disk is full; the same run only has to write it again.
    """
    record = _compile(run, state, before=before, after=after, command=command)
    figures = record["perplexity"]["held_out"]
    held_out = [[0, figures["before"]["nats_per_token"]], *record["held_out_losses"]] if figures else []
    with run.folder.write_result() as aside:
        run.save(network, aside, final=True)
        note = draw_curve(record["losses"], held_out, aside)
        write_atomically(aside / "README.md", render_card(record, curve=note is None))
    notes = [*run.split.notes, *([note] if note else []), *_remark(record)]
    record |= {"notes": notes}
    run.folder.finish(record)
    return TrainingResult(run.folder.folder, record, tuple(notes))


def draw_curve(losses: Points, held_out: Points, folder: Path) -> str | None:
    """Write ``loss.png`` and ``loss.svg``; without matplotlib return a note that says how to install it.

    Args:
        losses: Of each step on its own blocks, which differ in difficulty.
        held_out: Of the held-out stories; at step 0 by the base.
        folder: Where to write.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return "No loss curve was drawn: that takes matplotlib (pip install 'barthes[figures]')."
    with rc_context({"svg.hashsalt": "barthes", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        label = "the blocks of each step, in training"
        axes.plot(*zip(*losses, strict=True), color="#888888", linewidth=1, label=label)
        if held_out:
            label = "stories held out (0: before)"
            axes.plot(*zip(*held_out, strict=True), color="#b03030", marker="o", label=label)
        axes.set(xlabel="step", ylabel="loss (nats a token)")
        axes.locator_params(axis="x", integer=True)
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(folder / CURVE, dpi=150, metadata={"Software": None})
        figure.savefig(folder / "loss.svg", metadata={"Date": None, "Creator": None})
    return None


def _compile(run: Run, state: Any, *, before: Measured, after: Measured, command: str) -> dict[str, Any]:
    history = state.log_history
    settings = run.settings.to_dict() | {"block": run.base.block_size(run.settings.block)}
    if run.split.given:  # no share was held out
        settings["held_out"] = None
    if run.settings.dtype == "auto" and command.startswith("barthes finetune"):
        command = f"{command} --dtype {run.precision}"  # another machine would choose by its own hardware
    return {
        "barthes": __version__,
        "command": command,
        "base": {
            "name": run.base.name,
            "licence": find_licence(run.base.name),
            "sha256": run.base.fingerprint,
            "sample": run.base.sample,
        },
        "settings": settings,
        "precision": run.precision,
        "device": run.base.network.device.type,
        "steps": {
            "planned": state.max_steps,
            "done": state.global_step,
            "best": int(state.best_global_step or state.global_step),
        },
        "tokens": {"train": count_tokens(run.train), "held_out": count_tokens(run.held_out)},
        "stories": {"train": _list(run.split.train), "held_out": _list(run.split.held_out)},
        "perplexity": {
            part: {"before": before[part], "after": after[part]} if before[part] else None
            for part in ("held_out", "train")
        },
        "losses": [[entry["step"], entry["loss"]] for entry in history if "loss" in entry],
        "held_out_losses": [[entry["step"], entry["eval_loss"]] for entry in history if "eval_loss" in entry],
        "versions": {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES},
        "identity": run.identify(),
    }


def _list(stories: tuple[TrainingText, ...]) -> list[dict[str, Any]]:
    return [{"name": story.name, "words": story.words, "sha256": hash_text(story.text)} for story in stories]


def _remark(record: dict[str, Any]) -> list[str]:
    """Return notes on figures that the user may not expect."""
    notes = []
    held_out, steps = record["perplexity"]["held_out"], record["steps"]
    if held_out is None:
        notes.append("No story was held out: the perplexity is that of the stories trained on.")
    elif held_out["after"]["perplexity"] >= held_out["before"]["perplexity"]:
        notes.append("The held-out perplexity has not fallen: the base does as well on these stories.")
    if held_out is not None and record["tokens"]["held_out"] < _FEW:
        names = ", ".join(story["name"] for story in record["stories"]["held_out"][:3])
        notes.append(
            f"Only {record['tokens']['held_out']:,} tokens were held out ({names}): their perplexity, by"
            " which the weights were chosen, says little."
        )
    if steps["done"] < steps["planned"]:
        notes.append(
            f"Stopped early after step {steps['done']}: the held-out perplexity was lowest at step"
            f" {steps['best']}, whose weights are the result."
        )
    return notes
