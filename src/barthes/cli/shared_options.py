"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from barthes.cli.console import print_note
from barthes.cli.help_panels import option
from barthes.corpora import list_kinds
from barthes.methods import PRESETS, find_methods
from barthes.reading.document import MARKS

METHOD_HELP = (
    f"{', '.join(find_methods())}; a sum such as sd+tfidf, ranks:sd+tfidf or placed:sd+tfidf; "
    f"or a preset: {', '.join(PRESETS)}."
)
MODEL_HELP = "Language model: an embedded one, a folder, a GGUF file, a Hugging Face name or a server."
CORPUS_HELP = f"Labelled corpus; KIND is {', '.join(list_kinds())}."

NoCache = Annotated[bool, option("Other", "Neither reuse nor store computed scores.", "--no-cache")]
Chapter = Annotated[
    str | None,
    option("Input", "Read one chapter or story, by its number or words of its title.", metavar="CHAPTER"),
]
Device = Annotated[str, option("Model", "Device, such as auto, cpu, cuda or mps.")]
Dtype = Annotated[str, option("Model", "Precision, such as auto, float32 or bfloat16.")]
Encoding = Annotated[
    str | None, option("Input", "Encoding of text and HTML files, such as cp1251. [default: found out]")
]
Labels = Annotated[
    str | None,
    option(
        "Input",
        "Labels, for corpora that have several (propplearner: paper, corrected). [default: the first]",
        metavar="NAME",
    ),
]
Language = Annotated[
    str | None,
    option("Input", "Language of the texts, such as de or german. [default: as the file says, else en]"),
]
Method = Annotated[str, option("Method", METHOD_HELP, "--method", "-m", metavar="METHOD")]
DefaultMethod = Annotated[
    str | None,
    option("Method", f"{METHOD_HELP} [default: sd; va for events]", "--method", "-m", metavar="METHOD"),
]
MaxMinutes = Annotated[float, option("Server", "Maximum time for one story or call.", min=0.01)]
MaxSentences = Annotated[int, option("Server", "Longest story, in sentences.", min=1)]
Model = Annotated[str, option("Model", MODEL_HELP, metavar="MODEL")]
OutFile = Annotated[Path | None, option("Output", "Write to this file (atomically).", "--out", "-o")]
Results = Annotated[
    Path | None, option("Output", "Folder for scores. [default: Barthes' cache folder]", metavar="FOLDER")
]
RankBy = Annotated[
    Literal["cost", "readers"],
    option("Output", "Rank by what the rest loses without it, or by importance to readers."),
]
ServedModels = Annotated[
    list[str] | None,
    option(
        "Model",
        f"{MODEL_HELP} Offered besides the embedded ones; repeatable, the first is the default.",
        metavar="MODEL",
    ),
]
Sentences = Annotated[bool, option("Input", "Read one sentence per line.", "--sentences")]
Keep = Annotated[
    list[str] | None,
    option(
        "Input",
        f"Score these words too, which usually are not; repeatable. KIND is {', '.join(MARKS)}.",
        "--keep",
        metavar="KIND",
    ),
]
Whole = Annotated[bool, option("Input", "Read a file with several stories as one.", "--whole")]
Split = Annotated[
    str | None,
    option("Input", "Begin a chapter at each line that matches this regular expression.", metavar="REGEX"),
]
TextFormat = Annotated[Literal["text", "json"], option("Output", "Output format.", "--format", "-f")]
SpanUnit = Annotated[
    Literal["sentence", "paragraph", "scene", "chapter"], option("Method", "What to score.", "--unit")
]
LabelledUnit = Annotated[Literal["sentence", "event"], option("Method", "What to score.", "--unit")]
Unit = Annotated[
    Literal["sentence", "event", "paragraph", "scene", "chapter"],
    option("Method", "What to score."),
]
Window = Annotated[
    int | None,
    option("Model", "Tokens read at once. [default: the whole story if it fits, else 1024]", min=16),
]


def note_presets(methods: Iterable[str]) -> None:
    """Print which method each preset stands for: result tables name the method."""
    for name in dict.fromkeys(method.strip().lower() for method in methods):
        if name in PRESETS:
            print_note(f"{name} is listed as {PRESETS[name]}.")
