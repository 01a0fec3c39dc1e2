"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from barthes.cli.console import print_note
from barthes.methods import PRESETS

Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]

Dtype = Annotated[str, typer.Option(help="auto, float32, bfloat16, float16.")]

Labels = Annotated[
    Literal["paper", "corrected"],
    typer.Option(help="ProppLearner: as in the paper's release, or all (it lost four of them)."),
]

Language = Annotated[
    str | None, typer.Option(help="To split sentences by: de, german. [default: the file's own, else en]")
]

Model = Annotated[
    str, typer.Option(help="An embedded model, a folder, a GGUF file or a Hugging Face name (gpt2).")
]

OutFile = Annotated[Path | None, typer.Option("--out", "-o", help="Write to this file (atomically).")]

Results = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Where scores are kept. [default: in Barthes' cache folder]"),
]

Seed = Annotated[int, typer.Option(help="For the random baseline.")]

Seeds = Annotated[int, typer.Option(min=1, help="How often the random baseline draws.")]

Sentences = Annotated[bool, typer.Option("--sentences", help="The files have one sentence per line.")]

TextFormat = Annotated[Literal["text", "json"], typer.Option("--format", "-f", help="Text, or JSON.")]

Unit = Annotated[Literal["sentence", "event"], typer.Option(help="Score sentences, or each event (va, paa).")]

UnscoredMethod = Annotated[
    str, typer.Option("--method", "-m", help="For stories that have not been scored yet.")
]

UnscoredModel = Annotated[str, typer.Option(help="For stories that have not been scored yet.")]

Window = Annotated[
    int | None,
    typer.Option(min=16, help="Tokens read at once. [default: the whole story where it fits, else 1024]"),
]


def note_presets(methods: Iterable[str]) -> None:
    """Print under which name each preset stands in the result: tables have rows of methods."""
    for name in dict.fromkeys(method.strip().lower() for method in methods):
        if name in PRESETS:
            print_note(f"{name} stands for {PRESETS[name]}, and is shown under that name.")
