"""The options that several commands share: one meaning, one wording."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Device", "Dtype", "Language", "Sentences", "Window"]

Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]

Dtype = Annotated[str, typer.Option(help="auto, float32, bfloat16, float16.")]

Language = Annotated[
    str | None, typer.Option(help="To split sentences by: de, german. [default: the file's own, else en]")
]

Sentences = Annotated[bool, typer.Option("--sentences", help="The files hold one sentence a line.")]

Window = Annotated[
    int | None,
    typer.Option(min=16, help="Tokens read at once. [default: the whole story where it fits, else 1024]"),
]
