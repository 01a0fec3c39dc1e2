"""Write the result of a run: the model, its card with the base's licence, and the record."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.files import write_atomically
from barthes.models.embedded import EMBEDDED
from barthes.version import __version__
from barthes_research.finetuning.texts import TrainingText, hash_text
from barthes_research.finetuning.token_blocks import count_tokens

if TYPE_CHECKING:
    from barthes_research.finetuning.story_trainer import Run

UNKNOWN_LICENCE = "see the base model"

Measured = dict[str, dict[str, float] | None]
"""The loss on the training stories (``train``) and on the held-out ones (``held_out``), or None."""

_LIBRARIES = ("torch", "transformers", "accelerate", "peft", "tokenizers")
_MAX_SOURCES = 30  # named on a card
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
    with run.folder.write_result() as folder:
        run.save(network, folder, final=True)
        write_atomically(folder / "README.md", render_card(record))
    notes = [*run.split.notes, *_list_remarks(record)]
    record |= {"notes": notes}
    run.folder.finish(record)
    return TrainingResult(run.folder.folder, record, tuple(notes))


def _compile(run: Run, state: Any, *, before: Measured, after: Measured, command: str) -> dict[str, Any]:
    """Return the record."""
    history = state.log_history
    settings = run.settings.to_dict() | {"block": run.base.block_size(run.settings.block)}
    if run.split.given:  # no share was held out
        settings["held_out"] = None
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


def render_card(record: dict[str, Any]) -> str:
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
        sources=", ".join(f"`{source}`" for source in sources[:_MAX_SOURCES]) + more,
        settings={name: value for name, value in settings.items() if value is not None},
    )


def find_licence(name: str) -> str:
    """Return the licence of an embedded model; other models say it themselves.

    >>> find_licence("smollm2-135m"), find_licence("gpt2")
    ('Apache-2.0', 'see the base model')
    """
    return EMBEDDED[name].licence if name in EMBEDDED else UNKNOWN_LICENCE
