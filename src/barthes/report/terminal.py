"""Print a profile as a table with bars in the terminal."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, Literal, TextIO

from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from barthes.annotation.events import Event
from barthes.formats import FileFormat
from barthes.report.escaping import printable
from barthes.report.tables import choose
from barthes.report.wording import UNCERTAIN, describe_agreement, excerpt, is_ranked, name_weights
from barthes.salience.profile import Profile, ScoredUnit
from barthes.salience.serialization import flatten

_CELLS = 10
# Light to dark along one hue and in lightness, so that it reads without colour vision.
_HEAT = ("#7d8aa5", "#b08a6a", "#d9822b", "#e8590c", "#ff3b1f")
_WIDTH = 120  # columns, where the output is not a terminal


class PlainConsole(Console):
    """rich's console, except that a closed pipe raises BrokenPipeError instead of ending the process."""

    def on_broken_pipe(self) -> None:
        """Raise the BrokenPipeError that rich has caught."""
        raise  # rich calls this where it has caught BrokenPipeError

    def print_lines(self, lines: Iterable[str], *, style: str) -> None:
        """Print lines of text, without characters that could control the terminal."""
        for line in lines:
            self.print(Text(printable(line), style=style))


def open_console(file: TextIO, *, width: int | None = None) -> PlainConsole:
    """Return a console that writes to a stream, 120 columns wide where that is not a terminal."""
    if width is None and not Console(file=file).is_terminal:
        width = _WIDTH
    return PlainConsole(file=file, width=width, highlight=False)


def new_table(*headings: str, left: Container[str] = ()) -> Table:
    """Return a table without rules; its columns are set to the right, except those in `left`."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        side: Literal["left", "right"] = "left" if heading in left else "right"
        table.add_column(Text(printable(heading)), justify=side, overflow="fold")
    return table


def print_profile(
    profile: Profile, *, file: TextIO, top: int | None = None, rank_by: str = "cost", width: int | None = None
) -> None:
    """Write the table to a stream; colours only where the stream is a terminal."""
    console = open_console(file, width=width)
    model = f", {name_weights(profile.model)}" if profile.model else ""
    heading = f"{profile.narrative.title or 'story'}  ({profile.method}{model})"
    console.print_lines(filter(None, [heading, describe_agreement(profile)]), style="bold")
    rows = choose(profile, top=top, rank_by=rank_by, in_story_order=not is_ranked(profile))
    console.print(_table(profile, rows))
    console.print_lines(_explain_marks(profile, rows), style="italic")
    console.print_lines((f"Note: {note}" for note in profile.notes), style="italic")


def _explain_marks(profile: Profile, rows: Sequence[ScoredUnit]) -> Iterator[str]:
    """Yield what the columns and marks of a table mean."""
    if not is_ranked(profile):
        yield f"Too few {profile.unit}s to rank."
        return
    if profile.importance is not None:
        yield "cost: rank by what the rest loses without it; readers: rank by importance to readers"
    uncertain = profile.uncertain | (
        frozenset() if profile.importance is None else profile.importance.uncertain
    )
    if any(unit.index in uncertain for unit in rows):
        yield f"? {UNCERTAIN}"
    for reason in dict.fromkeys(unit.reason for unit in rows if unit.reason):
        yield f"– not ranked: {reason}"


def _table(profile: Profile, rows: Sequence[ScoredUnit]) -> Table:
    rankings = [_list_ranks(each) for each in (profile, profile.importance) if each and is_ranked(profile)]
    names = ["rank"] if profile.importance is None else ["cost", "readers"]
    table = new_table(*(names if is_ranked(profile) else []), profile.narrative.unit, "salience")
    table.add_column("", width=_CELLS)
    if profile.unit == "event":
        table.add_column("event", overflow="fold", ratio=1)
    table.add_column("", overflow="fold", ratio=1)
    highest = max((scored.salience for scored in profile.top()), default=0.0)
    for scored in rows:
        heat = scored.salience / highest if highest > 0 else 0.0
        colour = _HEAT[min(max(int(heat * len(_HEAT)), 0), len(_HEAT) - 1)]
        table.add_row(
            *(ranks[scored.index] for ranks in rankings),
            str(scored.sentence.index + 1),
            f"{scored.salience:+.3f}",
            Bar(8 * _CELLS, 0, 0 if scored.rank is None else round(8 * _CELLS * heat), color=colour),
            *([] if scored.event is None else [_describe_event(scored, scored.event)]),
            Text(printable(excerpt(scored.sentence, profile.narrative.unit))),
        )
    return table


def _list_ranks(profile: Profile) -> list[str]:
    uncertain = profile.uncertain
    return [
        "–" if rank is None else f"{rank}{'?' if index in uncertain else ''}"
        for index, rank in enumerate(profile.ranks)
    ]


def _describe_event(scored: ScoredUnit, event: Event) -> Text:
    """Return who does what to whom, in the order of the text; the predicate is bold."""
    row = flatten(scored.to_dict())
    parts = [(scored.start, scored.trigger, "bold")]
    for role in ("ARG0", "ARG1"):
        if found := event.with_role(role):
            parts.append((found[0].spans[0][0], row[role.lower()], ""))
    return Text(" · ").join(Text(printable(text), style=style) for _, text, style in sorted(parts))


def _write(profiles: Iterable[Profile], stream: TextIO, **options: Any) -> None:
    for place, profile in enumerate(profiles):
        stream.write("\n" if place else "")
        print_profile(profile, file=stream, **options)


TABLE = FileFormat(
    name="table",
    purpose="a ranked list with bars, for people",
    suffixes=(".txt",),
    write=_write,
    options=frozenset({"top", "rank_by"}),
    with_notes=True,
)
