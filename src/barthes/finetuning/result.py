"""The end of a run: the model, its card, its loss curve and the record, all in one folder."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

from barthes.finetuning.blocks import count_tokens
from barthes.finetuning.card import write_card
from barthes.finetuning.curve import draw_curve
from barthes.finetuning.licence import find_licence
from barthes.finetuning.outcome import Outcome
from barthes.finetuning.run import Measured, Run
from barthes.finetuning.saving import save
from barthes.finetuning.training_text import TrainingText, hash_text
from barthes.version import __version__

__all__ = ["write_result"]

_LIBRARIES = ("torch", "transformers", "accelerate", "peft", "tokenizers")


def write_result(
    run: Run, network: Any, state: Any, *, before: Measured, after: Measured, command: str
) -> Outcome:
    """Write everything, the record last, by which the folder counts as finished.

    Raises:
        OutputError: The disk is full; the same command only has to write it again.
    """
    record = _compile(run, state, before=before, after=after, command=command)
    with run.folder.place() as aside:
        save(run, network, aside, final=True)
        note = draw_curve(record["losses"], _draw_held_out(record), aside)
        write_card(record, aside / "README.md")
    notes = [*run.parts.notes, *([note] if note else []), *_remark(record)]
    record |= {"notes": notes}
    run.folder.finish(record)
    return Outcome(run.folder.folder, record, tuple(notes))


def _compile(run: Run, state: Any, *, before: Measured, after: Measured, command: str) -> dict[str, Any]:
    history = state.log_history
    return {
        "barthes": __version__,
        "command": _settle(command, run),
        "base": {
            "name": run.base.name,
            "licence": find_licence(run.base.name),
            "sha256": run.base.fingerprint,
            "sample": run.base.sample,
        },
        "settings": _describe_settings(run),
        "precision": str(run.products).removeprefix("torch."),
        "device": run.base.network.device.type,
        "steps": {"planned": state.max_steps, "done": state.global_step, "best": _best(state)},
        "tokens": {"train": count_tokens(run.train), "held_out": count_tokens(run.held_out)},
        "stories": {"train": _list(run.parts.train), "held_out": _list(run.parts.held_out)},
        "perplexity": {
            part: _pair(before[part], after[part]) if before[part] else None for part in ("held_out", "train")
        },
        "losses": [[entry["step"], entry["loss"]] for entry in history if "loss" in entry],
        "held_out_losses": [[entry["step"], entry["eval_loss"]] for entry in history if "eval_loss" in entry],
        "versions": {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES},
        "identity": run.identify(),
    }


def _describe_settings(run: Run) -> dict[str, Any]:
    """The settings as they were used: no share was held out where the reader named stories to measure on."""
    used: dict[str, Any] = {"block": run.base.block_size(run.settings.block)}
    return run.settings.to_dict() | used | ({"held_out": None} if run.parts.given else {})


def _settle(command: str, run: Run) -> str:
    """The command with the precision that was chosen: another machine would choose by its own hardware."""
    if run.settings.dtype != "auto" or not command.startswith("barthes finetune"):
        return command
    return f"{command} --dtype {str(run.products).removeprefix('torch.')}"


def _draw_held_out(record: dict[str, Any]) -> list[list[float]]:
    """The held-out losses as they are drawn: at step 0 that of the base."""
    figures = record["perplexity"]["held_out"]
    return [[0, figures["before"]["nats_per_token"]], *record["held_out_losses"]] if figures else []


def _best(state: Any) -> int:
    return int(state.best_global_step or state.global_step)


def _pair(before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after}


def _list(stories: tuple[TrainingText, ...]) -> list[dict[str, Any]]:
    return [{"name": story.name, "words": story.words, "sha256": hash_text(story.text)} for story in stories]


_FEW = 1000  # tokens: less than a block


def _remark(record: dict[str, Any]) -> list[str]:
    """What the figures say that the reader may not want to hear."""
    notes = []
    held_out = record["perplexity"]["held_out"]
    if held_out is None:
        notes.append("No story was held out: the perplexity is that of the stories trained on.")
    elif held_out["after"]["perplexity"] >= held_out["before"]["perplexity"]:
        notes.append("The held-out perplexity has not fallen: the base does as well on these stories.")
    if held_out is not None and record["tokens"]["held_out"] < _FEW:
        named = ", ".join(story["name"] for story in record["stories"]["held_out"][:3])
        notes.append(
            f"Only {record['tokens']['held_out']:,} tokens were held out ({named}): their perplexity, by"
            " which the weights were chosen, says little."
        )
    if record["steps"]["done"] < record["steps"]["planned"]:
        notes.append(
            f"Stopped early after step {record['steps']['done']}: the held-out perplexity was lowest at step"
            f" {record['steps']['best']}, whose weights are the result."
        )
    return notes
