"""A reproduction as JSON has it. Our side is invented: it tests how figures are shown, not what they are."""

from __future__ import annotations

from typing import Any

__all__ = ["example", "nothing_run"]

TALES = ("The Mill", "The Ferry", "The Well")
_BASELINES = (("random", 0.213), ("position", 0.277), ("position-desc", 0.185), ("tfidf", 0.279))
_PROPOSED = {
    "sd": ((0.261, 0.265, 0.280), (0.294, 0.301, 0.295)),
    "va": ((0.245, 0.258, 0.219), (0.286, 0.287, 0.266)),
    "paa": ((0.254, 0.258, 0.266), (0.285, 0.295, 0.301)),
}
_WITHOUT_DAGGER = {("va", False, None), ("va", False, "transductive"), ("paa", False, "transductive")}


def _row(method: str, tfidf: bool, fine_tuning: str | None, paper: float) -> dict[str, Any]:
    run = fine_tuning is None
    ours = paper + 0.01 if method in _PROPOSED else paper
    return {
        "method": method,
        "tfidf": tfidf,
        "fine_tuning": fine_tuning,
        "paper": paper,
        "paper_dagger": method not in ("random", "position-desc")
        and (method, tfidf, fine_tuning) not in _WITHOUT_DAGGER,
        "paper_bold": paper == 0.280,
        "paper_bold_italic": paper == 0.301,
        "status": "run" if run else "not run",
        "ours": ours if run else None,
        "interval": [ours - 0.04, ours + 0.05] if run else None,
        "p_vs_random": (1.0 if method == "random" else 0.0125) if run else None,
        "p_vs_expectation": (0.5 if method == "random" else 0.0475) if run else None,
        "dagger": run and method not in ("random", "position-desc"),
        "bold": run and method == "sd" and not tfidf,
        "bold_italic": run and method == "sd" and tfidf,
        "per_story": {name: ours + place / 10 for place, name in enumerate(TALES)} if run else None,
    }


def _table2() -> list[dict[str, Any]]:
    rows = [_row(method, False, None, paper) for method, paper in _BASELINES]
    for method, published in _PROPOSED.items():
        for tfidf, figures in zip((False, True), published, strict=True):
            settings = zip((None, "domain", "transductive"), figures, strict=True)
            rows += [_row(method, tfidf, fine_tuning, paper) for fine_tuning, paper in settings]
    return rows


def example() -> dict[str, Any]:
    """Everything run with one model, a new dict each time."""
    influence = [[None, None, None], [0.562, None, None], [0.807, -0.876, None]]
    return {
        "barthes": "0.1.0",
        "versions": {"python": "3.11", "torch": "2.13.0"},
        "mode": "paper",
        "settings": {"seeds": 10, "permutations": 80, "stories": 1000, "window": 1024, "labels": "paper"},
        "models": {
            "none": {"name": "smollm2-135m", "fingerprint": "0123abcd", "dtype": "bfloat16", "device": "cpu"},
            "domain": None,
            "transductive": None,
        },
        "table1": {
            "rows": [
                {"name": "stories", "paper": 15, "ours": 15},
                {"name": "words", "paper": 18862, "ours": 18860},
                {"name": "average sentences a story", "paper": 86.8, "ours": 86.8},
            ]
        },
        "table2": {
            "labels": "paper",
            "random_sd": {"paper": 0.015, "ours": 0.0161},
            "random_expected": 0.2132,
            "best_combination_vs_tfidf": {"paper": 0.21, "ours": 0.4},
            "rows": _table2(),
        },
        "perplexity": {
            "rows": [
                {"fine_tuning": None, "model": "smollm2-135m", "perplexity": 23.456, "tokens": 25123},
                {"fine_tuning": "domain", "model": None, "perplexity": None, "tokens": None},
                {"fine_tuning": "transductive", "model": None, "perplexity": None, "tokens": None},
            ],
            "spearman": {
                "sd": {"paper": -1.0, "ours": None, "status": "not run"},
                "va": {"paper": -0.5, "ours": None, "status": "not run"},
                "paa": {"paper": -1.0, "ours": None, "status": "not run"},
            },
        },
        "ordering": {
            "model": "smollm2-135m",
            "fine_tuning": None,
            "pairs": 1200,
            "correct": 1199,
            "accuracy": 1199 / 1200,
            "interval": [0.9953, 0.99985],
            "paper": 1.0,
            "per_story": {"The Mill": 1.0, "The Ferry": 0.9875, "The Well": 1.0},
        },
        "deletion": {
            "model": "smollm2-135m",
            "fine_tuning": None,
            "stories": 1000,
            "deletions": 5000,
            "correct": 4310,
            "accuracy": 0.862,
            "interval": [0.852, 0.871],
            "paper": 0.94,
            "by_position": [{"position": 1, "accuracy": 1.0, "count": 1000}],
        },
        "cinderella": {
            "model": "smollm2-135m",
            "fine_tuning": None,
            "sentences": [
                {"text": "The miller sweeps the floor.", "salient": False, "paper": 0.193, "ours": 0.264},
                {"text": "A stranger brings a sack of gold.", "salient": True, "paper": -0.014, "ours": 0.85},
                {"text": "The miller leaves the mill.", "salient": True, "paper": 0.394, "ours": 0.331},
            ],
            "influence": {"paper": influence, "ours": [list(row) for row in influence]},
        },
        "scores": {
            name: {
                "labels": [False, True, False, True],
                "sd": [0.1, 0.4, -0.1, 0.2 + place],
                "va": [0.0, 0.1, 0.2, 0.3],
                "paa": [0.3, None, 0.1, 0.2],
            }
            for place, name in enumerate(TALES)
        },
        "notes": ["The text was cut into windows of 1024 tokens."],
    }


def nothing_run() -> dict[str, Any]:
    """A run of which every experiment was left out."""
    left_out = dict.fromkeys(
        ("table1", "table2", "perplexity", "ordering", "deletion", "cinderella", "scores")
    )
    notes = ["Deletion detection was not run: no ROCStories were given.", "Only the settings were asked for."]
    return example() | left_out | {"notes": notes}
