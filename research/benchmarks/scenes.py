"""Compare estimated scenes with the breaks that a text marks, after the marks were taken out.

Usage::

    python benchmarks/scenes.py --squality SQUALITY/train.jsonl --folktales FOLKTALES --out FILE.json
    python benchmarks/scenes.py --squality SQUALITY/train.jsonl --states FOLDER --texts 6 --out FILE.json

Texts are the stories of SQuALITY with at least four marked breaks, without what precedes the first one
(title, author, blurb) and without headings; and eight folktales of a book joined end to end, two such texts
per book. Settings are chosen on every other text and measured on the rest. Pk and WindowDiff count windows of
half a mean scene in which the breaks differ: 0 is perfect, lower is better. Intervals are 95 % bootstrap
intervals over texts.

--states also ranks the beginnings of paragraphs by shifts in the states of SmolLM2, by its surprisal and by
Bayesian surprise (Kumar et al. 2023), in the first 3,000 tokens of the first --texts stories. What it
computed is kept in the folder.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

import barthes
from barthes.models import attention
from barthes.models.forward_pass import ForwardPass
from barthes.models.language_model import FloatArray
from barthes.reading.tale_books import read_tales
from barthes.scenes import COMPARED as DEFAULT
from barthes.scenes import (
    avoid_speech,
    choose_breaks,
    find_paragraph_starts,
    find_scene_breaks,
    find_words,
    measure_shifts,
    segment_scenes,
    standardize,
    weigh_words,
)

FEWEST = 4  # marked breaks
JOINED = 8  # folktales in a text
TALE_WORDS = (300, 2500)
TOKENS = 3000
ROWS = 256  # whole predictions in memory
LAYERS = (8, 16, 24)
COMPARED = (100, 200, 400)
EVENNESS = (3.0, 10.0)
LENGTHS = (500, 600, 800)  # words in a scene
TALE_LENGTHS = (1100, 1400, 1800)
FIXED = "fixed length"
DRAWS = 20  # random segmentations of a text
RESAMPLES = 2000
_LOWER = re.compile("[a-z]")


@dataclass(frozen=True)
class MarkedText:
    """A narrative without marks, and where its scenes begin."""

    narrative: barthes.Narrative
    breaks: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.narrative.title

    @cached_property
    def starts(self) -> np.ndarray:
        """The sentences that begin a paragraph."""
        return np.array(find_paragraph_starts(self.narrative))

    @cached_property
    def ends(self) -> np.ndarray:
        """The number of words before each sentence, and in all of them."""
        return np.array(list(accumulate(map(len, find_words(self.narrative)), initial=0)))


Segment = Callable[[MarkedText], Sequence[int]]
Setting = tuple[int, int, float]  # words in a scene, words compared, evenness
Shifts = dict[tuple[str, int], dict[str, FloatArray]]  # by text and words compared; then by cue


def window_of(breaks: Sequence[int], length: int) -> int:
    """Return half of the mean length of a scene, in sentences, at least 2."""
    return max(2, round(length / (len(breaks) + 1) / 2))


def count_breaks(breaks: Sequence[int], length: int, window: int) -> np.ndarray:
    """Return how many breaks are between sentence i and i + window, for each i."""
    before = np.cumsum(np.isin(np.arange(length), breaks))
    return before[window:] - before[:-window]


def measure_pk(marked: Sequence[int], found: Sequence[int], length: int) -> float:
    """Return the share of windows whose ends are in one scene by one of the two and not by the other."""
    window = window_of(marked, length)
    one, other = (count_breaks(each, length, window) > 0 for each in (marked, found))
    return float(np.mean(one != other))


def measure_window_diff(marked: Sequence[int], found: Sequence[int], length: int) -> float:
    """Return the share of windows with different numbers of breaks."""
    window = window_of(marked, length)
    one, other = (count_breaks(each, length, window) for each in (marked, found))
    return float(np.mean(one != other))


def build_text(title: str, sentences: Sequence[str], starts: set[int], breaks: set[int]) -> MarkedText:
    """Join sentences; the only thing left of the layout is a blank line before each paragraph."""
    gaps = ["" if k == 0 else "\n\n" if k in starts | breaks else " " for k in range(len(sentences))]
    pieces = [piece for pair in zip(gaps, sentences, strict=True) for piece in pair]
    edges = list(accumulate(map(len, pieces), initial=0))
    spans = tuple((edges[2 * k + 1], edges[2 * k + 2]) for k in range(len(sentences)))
    return MarkedText(barthes.Narrative("".join(pieces), spans, title=title), tuple(sorted(breaks)))


def read_squality(path: Path) -> Iterator[MarkedText]:
    for line in path.read_text(encoding="utf-8").splitlines():
        story = json.loads(line)
        marked = barthes.read_text(story["document"].strip(), title=story["metadata"]["passage_id"])
        breaks = find_scene_breaks(marked)
        if len(breaks) < FEWEST:
            continue
        kept = [k for k in range(breaks[0], len(marked)) if _LOWER.search(marked[k].text)]
        starts, scenes = (
            {int(np.searchsorted(kept, k)) for k in each} - {0, len(kept)}
            for each in (find_paragraph_starts(marked), breaks)
        )
        yield build_text(marked.title, [str(marked[k]) for k in kept], starts, scenes)


def read_folktales(folder: Path) -> Iterator[MarkedText]:
    for path in sorted(folder.glob("*.txt")):
        tales, _ = read_tales(path.read_bytes(), where=path.name, name=path.name)
        tales = tuple(tale for tale in tales if TALE_WORDS[0] <= len(tale.text.split()) <= TALE_WORDS[1])
        for part in range(2):
            sentences: list[str] = []
            starts, breaks = set(), set()
            for tale in tales[part * len(tales) // 2 :][:JOINED]:
                narrative = barthes.read_text(tale.text)
                breaks.add(len(sentences))
                starts |= {len(sentences) + k for k in find_paragraph_starts(narrative)}
                sentences += map(str, narrative)
            yield build_text(f"{path.stem} {part + 1}", sentences, starts, breaks - {0})


def draw(text: MarkedText) -> Iterator[list[int]]:
    """Yield random segmentations with the true number of breaks, at paragraphs."""
    rng = np.random.default_rng(len(text.narrative))
    for _ in range(DRAWS):
        yield sorted(rng.choice(text.starts, len(text.breaks), replace=False).tolist())


def measure(texts: Sequence[MarkedText], segment: Segment) -> FloatArray:
    """Return Pk, WindowDiff, found breaks per marked one, and the share of found ones that are marked."""
    rows = []
    for text in texts:
        found = segment(text)
        length = len(text.narrative)
        errors = [each(text.breaks, found, length) for each in (measure_pk, measure_window_diff)]
        right = len(set(found) & set(text.breaks)) / max(1, len(found))
        rows.append([*errors, len(found) / len(text.breaks), right])
    return np.array(rows)


def measure_random(texts: Sequence[MarkedText]) -> FloatArray:
    rows = [[measure([text], lambda _, found=found: found)[0] for found in draw(text)] for text in texts]
    return np.array(rows).mean(axis=1)


def fix_number(text: MarkedText) -> list[int]:
    """Return the true number of breaks at equal distances, at paragraphs."""
    starts, ends = text.starts, text.ends
    shares = np.arange(1, len(text.breaks) + 1) / (len(text.breaks) + 1)
    return sorted({int(starts[np.abs(ends[starts] - share * ends[-1]).argmin()]) for share in shares})


def choose(texts: Sequence[MarkedText], shifts: Shifts, cue: str, lengths: Sequence[int]) -> Setting:
    """Return the settings with the lowest WindowDiff."""
    grid = product(lengths, COMPARED, EVENNESS) if cue != FIXED else product(lengths, [0], [1.0])
    return min(grid, key=lambda setting: measure(texts, segment_by(shifts, cue, setting))[:, 1].mean())


def segment_by(shifts: Shifts, cue: str, setting: Setting) -> Segment:
    words, compared, evenness = setting

    def segment(text: MarkedText) -> Sequence[int]:
        found = np.zeros(len(text.starts)) if cue == FIXED else shifts[text.name, compared][cue]
        return choose_breaks(text.starts, found, text.ends, words=words, evenness=evenness)

    return segment


def describe(values: FloatArray) -> list[float]:
    """Return the mean over texts and its interval."""
    samples = np.random.default_rng(0).integers(len(values), size=(RESAMPLES, len(values)))
    bounds = np.quantile(values[samples].mean(axis=1), [0.025, 0.975])
    return [round(float(each), 3) for each in (values.mean(), *bounds)]


def summarize(rows: FloatArray, baseline: FloatArray) -> dict[str, object]:
    """Return means with intervals, and the difference from a baseline on the same texts."""
    return {
        "pk": describe(rows[:, 0]),
        "window_diff": describe(rows[:, 1]),
        "found_per_marked": round(float(rows[:, 2].mean()), 2),
        "marked_of_found": describe(rows[:, 3]),
        "marked_of_found_minus_fixed_length": describe(rows[:, 3] - baseline[:, 3]),
        "pk_minus_fixed_length": describe(rows[:, 0] - baseline[:, 0]),
        "window_diff_minus_fixed_length": describe(rows[:, 1] - baseline[:, 1]),
    }


def rank_breaks(text: MarkedText, shifts: FloatArray) -> float:
    """Return the chance that a marked break has a larger shift than another paragraph (ROC AUC)."""
    at_break = np.isin(text.starts, text.breaks)
    pairs = shifts[at_break][:, None] - shifts[~at_break][None, :]
    return float(np.mean((pairs > 0) + 0.5 * (pairs == 0)))


def compare(texts: Sequence[MarkedText], lengths: Sequence[int]) -> dict[str, object]:
    """Choose settings for each cue on every other text and measure the rest."""
    shifts = {
        (text.name, compared): measure_words(text, compared) for text, compared in product(texts, COMPARED)
    }
    chosen_on, rest = texts[::2], texts[1::2]
    chosen = {
        cue: choose(chosen_on, shifts, cue, lengths) for cue in (FIXED, *shifts[texts[0].name, COMPARED[0]])
    }
    found = {cue: measure(rest, segment_by(shifts, cue, setting)) for cue, setting in chosen.items()}
    results = {
        cue: summarize(rows, found[FIXED]) | {"chosen": list(chosen[cue])} for cue, rows in found.items()
    }
    for cue in chosen.keys() - {FIXED}:
        ranks = [rank_breaks(text, shifts[text.name, chosen[cue][1]][cue]) for text in rest]
        results[cue]["auc"] = round(float(np.mean(ranks)), 3)
    others = {
        "no breaks": measure(rest, lambda _: []),
        "random, true number": measure_random(rest),
        "fixed length, true number": measure(rest, fix_number),
        "segment_scenes": measure(rest, lambda text: segment_scenes(text.narrative, words=lengths[1])),
    }
    return {
        "texts": [len(chosen_on), len(rest)],
        "breaks": [sum(len(text.breaks) for text in each) for each in (chosen_on, rest)],
        "words_per_scene": round(float(np.mean([text.ends[-1] / (len(text.breaks) + 1) for text in texts]))),
        "speech_at_breaks": average_speech(texts, lambda text: text.breaks),
        "speech_at_paragraphs": average_speech(texts, lambda text: text.starts),
        "results": results | {name: summarize(rows, found[FIXED]) for name, rows in others.items()},
    }


def average_speech(texts: Sequence[MarkedText], choose_from: Segment) -> float:
    """Return the share of sentences that begin with a quotation mark or dash, averaged over texts."""
    shares = [np.mean([not text.narrative[k].text[0].isalnum() for k in choose_from(text)]) for text in texts]
    return round(float(np.mean(shares)), 3)


def measure_words(text: MarkedText, compared: int) -> dict[str, FloatArray]:
    """Return the shifts of words at the beginnings of paragraphs, and what avoids speech."""
    rows = weigh_words(find_words(text.narrative))
    words = measure_shifts(rows, text.ends, text.starts, compared=compared)
    speech = avoid_speech(text.narrative, text.starts)
    return {"words": words, "speech": speech, "words + speech": standardize(words + speech)}


@dataclass(frozen=True)
class ModelCues:
    """What a model says about each sentence: mean states by layer; surprisals in nats per token."""

    states: FloatArray
    surprisal: FloatArray
    bayesian: FloatArray


def read_cues(texts: Sequence[MarkedText], folder: Path) -> list[tuple[MarkedText, ModelCues]]:
    """Return the beginnings of texts with the cues of SmolLM2, which are kept in a folder."""
    found = []
    model: barthes.LanguageModel | None = None
    for text in texts:
        path = folder / f"states-{text.narrative.title}.npz"
        if not path.exists():
            model = model or barthes.load_model(dtype="float32")
            np.savez(path, **compute_cues(model, text.narrative))
        kept = np.load(path)
        surprises = (kept[each] / kept["tokens"] for each in ("surprisal", "bayesian"))
        cues = ModelCues(kept["states"].astype(np.float64), *surprises)
        found.append((cut(text, len(cues.surprisal)), cues))
    return found


def compute_cues(model: barthes.LanguageModel, narrative: barthes.Narrative) -> dict[str, np.ndarray]:
    sentences = model.encode([str(sentence) for sentence in narrative])
    ends = np.cumsum([len(ids) for ids in sentences])
    sentences = sentences[: int(np.searchsorted(ends, TOKENS, side="right"))]
    edges = list(accumulate(map(len, sentences), initial=1))
    tokens = [model.start_token, *(token for ids in sentences for token in ids)]
    states = model.average_states(tokens, list(pairwise(edges)), layers=LAYERS)
    nats = -model.read(tokens).log_probabilities
    surprisal, bayesian = (
        np.array([each[start - 1 : stop - 1].sum() for start, stop in pairwise(edges)])
        for each in (nats, measure_divergences(model, tokens))
    )
    return {
        "states": states.astype(np.float32),
        "surprisal": surprisal,
        "bayesian": bayesian,
        "tokens": np.array([max(1, len(ids)) for ids in sentences]),
    }


def measure_divergences(model: Any, tokens: Sequence[int]) -> FloatArray:
    """Return for each token but the first how far it moves the prediction of the next one, in nats.

    This is KL(P(next | all up to the token) || P(next | all before the token)), which Kumar et al. call
    Bayesian surprise.
    """
    import torch

    given = torch.tensor(list(tokens), device=model.network.device)
    forward = ForwardPass(model.network, model.head, model.products)
    found = []
    with torch.inference_mode():
        [hidden] = forward.hidden_states([given], attention.AttentionPlan.of([given], [0]))
        for start in range(0, len(tokens) - 1, ROWS):
            logits = model.network.get_output_embeddings()(hidden[start : start + ROWS + 1])
            before, after = (each.float().log_softmax(-1) for each in (logits[:-1], logits[1:]))
            found.append((after.exp() * (after - before)).sum(-1))
    return torch.cat(found).double().numpy(force=True)


def cut(text: MarkedText, count: int) -> MarkedText:
    """Return the first sentences of a text."""
    narrative = text.narrative
    spans = narrative.spans[:count]
    begun = barthes.Narrative(narrative.text[: spans[-1][1]], spans, title=narrative.title)
    return MarkedText(begun, tuple(each for each in text.breaks if each < count))


def rank_cues(read: Sequence[tuple[MarkedText, ModelCues]]) -> dict[str, object]:
    """Return how well each cue ranks marked breaks among the beginnings of paragraphs (mean ROC AUC)."""
    ranks: dict[str, list[float]] = {}
    for text, cues in read:
        shifts = measure_words(text, DEFAULT)
        for place, layer in enumerate(LAYERS):
            states = cues.states[:, place] - cues.states[:, place].mean(axis=0)
            shifts[f"states after layer {layer}"] = measure_shifts(states, text.ends, text.starts)
        shifts["surprisal"] = standardize(cues.surprisal[text.starts])
        shifts["Bayesian surprise"] = standardize(cues.bayesian[text.starts])
        for other in (f"states after layer {LAYERS[1]}", "surprisal", "Bayesian surprise"):
            shifts[f"words + speech + {other}"] = shifts["words + speech"] + shifts[other]
        for cue, values in shifts.items():
            ranks.setdefault(cue, []).append(rank_breaks(text, values))
    results = {cue: describe(np.array(values)) for cue, values in ranks.items()}
    return {"texts": len(read), "breaks": sum(len(text.breaks) for text, _ in read), "auc": results}


def tune(sets: Sequence[tuple[Sequence[MarkedText], int]]) -> dict[str, list[float]]:
    """Return the WindowDiff of words + speech on the first halves, by words compared and evenness."""
    found = {}
    for compared, evenness in product(COMPARED, EVENNESS):
        errors = []
        for texts, words in sets:
            shifts = {(text.name, compared): measure_words(text, compared) for text in texts[::2]}
            segment = segment_by(shifts, "words + speech", (words, compared, evenness))
            errors.append(round(float(measure(texts[::2], segment)[:, 1].mean()), 3))
        found[f"{compared}, {evenness:g}"] = errors
    return found


def main() -> None:
    """Write the results as JSON and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--squality", type=Path, required=True)
    parser.add_argument("--folktales", type=Path)
    parser.add_argument("--states", type=Path, help="folder for the states of the model")
    parser.add_argument("--texts", type=int, default=8, help="how many stories the model reads")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    stories = list(read_squality(arguments.squality))
    results: dict[str, object] = {"squality": compare(stories, LENGTHS)}
    if arguments.folktales:
        tales = list(read_folktales(arguments.folktales))
        results["folktales"] = compare(tales, TALE_LENGTHS)
        results["settings"] = tune([(stories, LENGTHS[1]), (tales, TALE_LENGTHS[1])])
    if arguments.states:
        results["model"] = rank_cues(read_cues(stories[: arguments.texts], arguments.states))
    text = json.dumps(results, indent=1)
    text = re.sub(r"\[\s+([^\[\]]+?)\s+\]", lambda match: f"[{' '.join(match[1].split())}]", text)
    arguments.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
