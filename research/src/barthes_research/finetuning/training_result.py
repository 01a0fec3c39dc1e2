"""Write the result of a run: the model, its card with the base's licence, the loss curve and the record."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.files import expand_home, write_atomically
from barthes.models.embedded import EMBEDDED
from barthes.models.pretrained import find_cached
from barthes.version import __version__
from barthes_research.finetuning.texts import TrainingText, hash_text
from barthes_research.finetuning.token_blocks import count_tokens

if TYPE_CHECKING:
    from barthes_research.finetuning.story_trainer import Run

UNKNOWN_LICENCE = "see the base model"

Measured = dict[str, dict[str, float] | None]
"""The loss on the training stories (``train``) and on the held-out ones (``held_out``), or None."""

Points = Sequence[Sequence[float]]
"""Pairs of a step and a loss, nats per token."""

_LIBRARIES = ("torch", "transformers", "accelerate", "peft", "tokenizers")
_CURVE = "loss.png"  # loss.svg is written beside it
_MAX_SOURCES = 30  # named on a card
_LICENCE_NAME = re.compile(r"\w[\w.+-]*")
_FEW = 1000  # held-out tokens below which their perplexity is unreliable: less than a block


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A finished run.

    Attributes:
        folder: The folder for `barthes.load_model`.
        record: The content of ``barthes.json``: settings, texts, losses, versions.
        notes: Notes for the user.
        was_finished: Whether the run was already finished and nothing was done.
    """

    folder: Path
    record: dict[str, Any]
    notes: tuple[str, ...] = ()
    was_finished: bool = False

    @property
    def before(self) -> float:
        """Perplexity of the base on the held-out stories, or else on the training stories."""
        return self._find("before")

    @property
    def after(self) -> float:
        """Perplexity of the fine-tuned model on the same stories."""
        return self._find("after")

    def _find(self, when: str) -> float:
        figures = self.record["perplexity"]
        return float((figures["held_out"] or figures["train"])[when]["perplexity"])


def write_result(
    run: Run, network: Any, state: Any, *, before: Measured, after: Measured, command: str
) -> TrainingResult:
    """Write everything; the record, which marks the run as finished, comes last."""
    record = _compile(run, state, before=before, after=after, command=command)
    figures = record["perplexity"]["held_out"]
    held_out = [[0, figures["before"]["nats_per_token"]], *record["held_out_losses"]] if figures else []
    with run.folder.write_result() as folder:
        run.save(network, folder, final=True)
        note = draw_curve(record["losses"], held_out, folder)
        write_atomically(folder / "README.md", render_card(record, curve=note is None))
    notes = [*run.split.notes, *([note] if note else []), *_list_remarks(record)]
    record |= {"notes": notes}
    run.folder.finish(record)
    return TrainingResult(run.folder.folder, record, tuple(notes))


def draw_curve(losses: Points, held_out: Points, folder: Path) -> str | None:
    """Write ``loss.png`` and ``loss.svg``; without matplotlib, return a note instead.

    Args:
        losses: The training loss of each step.
        held_out: The held-out loss, starting with that of the base at step 0; may be empty.
        folder: Where to write.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return "No loss curve was drawn: matplotlib is not installed (pip install matplotlib)."
    with rc_context({"svg.hashsalt": "barthes", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.plot(*zip(*losses, strict=True), color="#888888", linewidth=1, label="training, step by step")
        if held_out:
            label = "held-out stories (step 0: before)"
            axes.plot(*zip(*held_out, strict=True), color="#b03030", marker="o", label=label)
        axes.set(xlabel="step", ylabel="loss (nats per token)")
        axes.locator_params(axis="x", integer=True)
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(folder / _CURVE, dpi=150, metadata={"Software": None})
        figure.savefig(folder / "loss.svg", metadata={"Date": None, "Creator": None})
    return None


def _compile(run: Run, state: Any, *, before: Measured, after: Measured, command: str) -> dict[str, Any]:
    """Return the record."""
    history = state.log_history
    settings = run.settings.to_dict() | {"block": run.base.block_size(run.settings.block)}
    if run.split.given:  # no share was held out
        settings["held_out"] = None
    if run.settings.dtype == "auto" and command.startswith("barthes finetune"):
        command = f"{command} --dtype {run.precision}"  # another machine might choose differently
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


def _list_remarks(record: dict[str, Any]) -> list[str]:
    """Return notes on figures that the user may not expect."""
    notes = []
    held_out, steps = record["perplexity"]["held_out"], record["steps"]
    if held_out is None:
        notes.append("No story was held out: the perplexity is that of the training stories.")
    elif held_out["after"]["perplexity"] >= held_out["before"]["perplexity"]:
        notes.append("The held-out perplexity did not fall: the base does as well on these stories.")
    if held_out is not None and record["tokens"]["held_out"] < _FEW:
        names = ", ".join(story["name"] for story in record["stories"]["held_out"][:3])
        notes.append(
            f"Only {record['tokens']['held_out']:,} tokens were held out ({names}): their perplexity, by"
            " which the weights were chosen, is unreliable."
        )
    if steps["done"] < steps["planned"]:
        notes.append(
            f"Stopped early after step {steps['done']}: the held-out perplexity was lowest at step"
            f" {steps['best']}, whose weights are the result."
        )
    return notes


def render_card(record: dict[str, Any], *, curve: bool = True) -> str:
    """Return the model card in Markdown, with metadata for model hubs and without the user's folders."""
    from jinja2 import Environment, PackageLoader

    settings = record["settings"] | {"dtype": record["precision"], "device": record["device"]}
    names = {story["name"] for part in record["stories"].values() for story in part}  # folder/file: title
    sources = sorted({name.partition(": ")[0].rpartition("/")[2] or name for name in names})
    more = f" and {len(sources) - _MAX_SOURCES} more" if len(sources) > _MAX_SOURCES else ""
    base, licence = record["base"]["name"], record["base"]["licence"]
    if Path(base).is_absolute() or Path(base).exists() or base.startswith((".", "~")):
        base = Path(base).name
    environment = Environment(
        loader=PackageLoader("barthes_research.finetuning", "."), trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template("model_card.md").render(
        record=record,
        base=base,
        licence="" if licence == UNKNOWN_LICENCE else licence.lower(),
        lora=settings["method"] == "lora",
        curve=_CURVE if curve else "",
        sources=", ".join(f"`{source}`" for source in sources[:_MAX_SOURCES]) + more,
        settings={name: value for name, value in settings.items() if value is not None},
    )


def find_licence(name: str) -> str:
    """Return the licence of an embedded model, or that on the card of a model in a folder or on the hub.

    >>> find_licence("smollm2-135m")
    'Apache-2.0'
    """
    from huggingface_hub import metadata_load

    if name in EMBEDDED:
        return EMBEDDED[name].licence
    path = expand_home(name)
    folder = path if path.is_dir() else path.parent
    card = folder / "README.md" if path.exists() else find_cached(name, "README.md")
    try:
        licence = (metadata_load(card) or {}).get("license") if card else None
    except Exception:  # a missing card, or one that is not text or not YAML
        licence = None
    if isinstance(licence, str) and _LICENCE_NAME.fullmatch(licence):
        return licence
    return UNKNOWN_LICENCE
