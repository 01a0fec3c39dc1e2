"""The model card: what the model was made from and how, how well it does, and how to make it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from barthes.files import write_atomically
from barthes.finetuning.curve import CURVE
from barthes.finetuning.licence import UNKNOWN_LICENCE

__all__ = ["render_card", "write_card"]

_MOST_SOURCES = 30


def write_card(record: dict[str, Any], path: Path) -> None:
    """Write the card of a record; it names the loss curve if that is in the same folder."""
    write_atomically(path, render_card(record, curve=(path.parent / CURVE).exists()))


def render_card(record: dict[str, Any], *, curve: bool = True) -> str:
    """The card in Markdown, with the head that model hubs read. No folders of one's own are named in it."""
    sections = [section(record) for section in (_head, _title, _figures, _data, _settings, _use)]
    if curve:
        sections[2] += f" `{CURVE}` shows the loss step by step."
    return "\n\n".join(sections) + "\n"


def _head(record: dict[str, Any]) -> str:
    base, method = record["base"], record["settings"]["method"]
    lines = [f"base_model: {_short(base['name'])}", "pipeline_tag: text-generation"]
    if base["licence"] != UNKNOWN_LICENCE:
        lines.insert(0, f"license: {base['licence'].lower()}")
    lines.append(f"library_name: {'peft' if method == 'lora' else 'transformers'}")
    return "\n".join(["---", *lines, "---"])


def _title(record: dict[str, Any]) -> str:
    kind = "A LoRA adapter for" if record["settings"]["method"] == "lora" else "All weights of"
    base = record["base"]
    return (
        f"# {_short(base['name'])}, fine-tuned on stories\n\n{kind} {_short(base['name'])}"
        f" (licence: {base['licence']}), fine-tuned by Barthes {record['barthes']} to know how stories go."
    )


def _figures(record: dict[str, Any]) -> str:
    rows = ["| perplexity | before | after | tokens |", "|---|---|---|---|"]
    names = {"held_out": "stories held out", "train": "stories trained on"}
    for part, name in names.items():
        pair = record["perplexity"][part]
        if pair is not None:
            before, after = pair["before"], pair["after"]
            rows.append(
                f"| {name} | {before['perplexity']:.2f} | {after['perplexity']:.2f} | {before['tokens']:,} |"
            )
    how = (
        "exp of the mean loss over tokens, on blocks as in training"
        " (of the stories trained on, at most 64 blocks are measured); longer blocks give lower figures."
    )
    steps = record["steps"]
    return "\n".join(
        [
            "## How well it does",
            "",
            *rows,
            "",
            f"Perplexity is {how} The weights are those of step {steps['best']} of {steps['planned']}"
            f" ({steps['done']} were done).",
        ]
    )


def _data(record: dict[str, Any]) -> str:
    lines = ["## Data", ""]
    for part, name in (("train", "Trained on"), ("held_out", "Held out")):
        stories = record["stories"][part]
        if stories:
            words = sum(story["words"] for story in stories)
            lines.append(
                f"- {name}: {len(stories):,} {'story' if len(stories) == 1 else 'stories'},"
                f" {words:,} words, {record['tokens'][part]:,} tokens"
            )
    sources = sorted({_source(story["name"]) for stories in record["stories"].values() for story in stories})
    shown = ", ".join(f"`{source}`" for source in sources[:_MOST_SOURCES])
    more = f" and {len(sources) - _MOST_SOURCES} more" if len(sources) > _MOST_SOURCES else ""
    lines.append(f"- From: {shown}{more}")
    lines.append("- `barthes.json` lists every story with its SHA-256, and what was left out.")
    return "\n".join(lines)


def _settings(record: dict[str, Any]) -> str:
    settings = {name: value for name, value in record["settings"].items() if name != "model"}
    if settings["method"] == "full":
        for name in ("rank", "alpha", "adapter_dtype"):
            del settings[name]
    settings |= {"dtype": record["precision"], "device": record["device"]}
    known = {name.replace("_", " "): value for name, value in settings.items() if value is not None}
    rows = [f"| {name} | {value} |" for name, value in known.items()]
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    return "\n".join(
        [
            "## Settings",
            "",
            "| setting | value |",
            "|---|---|",
            *rows,
            "",
            f"AdamW, a linear warm-up and a cosine decay to 0. {versions}.",
        ]
    )


def _use(record: dict[str, Any]) -> str:
    lines = ["## Use", "", "```", "barthes score tale.txt --model FOLDER", "```"]
    if record["command"]:
        lines += ["", "Made by", "", "```", record["command"], "```"]
    return "\n".join(lines)


def _short(name: str) -> str:
    """A model's name, or the last part of its path."""
    path = Path(name)
    return path.name if path.is_absolute() or path.exists() or name.startswith((".", "~")) else name


def _source(name: str) -> str:
    """The file that a story comes from, without its folders and the story's title."""
    return name.partition(": ")[0].rpartition("/")[2] or name
