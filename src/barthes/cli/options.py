"""The options that several commands share: one meaning, one wording."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "ChosenLabels",
    "Device",
    "Dtype",
    "Labels",
    "Language",
    "Model",
    "OutFile",
    "Results",
    "Seeds",
    "Sentences",
    "Window",
]


class Labels(StrEnum):
    """Which labels of a corpus count."""

    PAPER = "paper"
    CORRECTED = "corrected"


ChosenLabels = Annotated[
    Labels, typer.Option(help="ProppLearner: as in the paper's release, or all (it lost four of them).")
]

Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]

Dtype = Annotated[str, typer.Option(help="auto, float32, bfloat16, float16.")]

Language = Annotated[
    str | None, typer.Option(help="To split sentences by: de, german. [default: the file's own, else en]")
]

Model = Annotated[
    str, typer.Option(help="An embedded model, a folder, a GGUF file or a Hugging Face name (gpt2).")
]

OutFile = Annotated[Path | None, typer.Option("--out", "-o", help="Write to this file, whole or not at all.")]

Results = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Where scores are kept. [default: in Barthes' cache folder]"),
]

Seeds = Annotated[int, typer.Option(min=1, help="How often the random baseline draws.")]

Sentences = Annotated[bool, typer.Option("--sentences", help="The files hold one sentence a line.")]

Window = Annotated[
    int | None,
    typer.Option(min=16, help="Tokens read at once. [default: the whole story where it fits, else 1024]"),
]
