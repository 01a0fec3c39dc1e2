"""Compare the speed of `sd` through a server with what the server does with the same requests.

    python research/benchmarks/served.py tale.txt --model http://127.0.0.1:8000/v1 --out served.json

The requests of `sd` (the story, and the story without each sentence) are sent in two ways, in turn: by
Barthes, and by threads that do nothing but send them, for several numbers of threads. The ratio is of the
medians, for the best number of threads.
It is for vLLM, which reads a text again for each request that asks for its log-probabilities.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from urllib.request import Request, urlopen

import barthes
from barthes.models.served import ServedModel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("story", type=Path)
    parser.add_argument("--model", required=True, help="address of a vLLM server")
    parser.add_argument("--sentences", type=int, default=12, help="number of sentences to use")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()

    sentences = [str(each) for each in barthes.read(given.story)][: given.sentences]
    model = ServedModel(given.model)
    requests = list_requests(model, sentences)
    tokens = sum(map(len, requests))
    by_threads: dict[int, list[float]] = {4: [], 8: [], 16: []}
    by_barthes: list[float] = []
    for _ in range(given.rounds):
        for threads, times in by_threads.items():
            times.append(send(given.model, model.notes[0].split()[2], requests, threads))
        started = time.perf_counter()
        barthes.score(sentences, model=model)
        by_barthes.append(time.perf_counter() - started)
    ours, theirs = median(by_barthes), min(median(times) for times in by_threads.values())
    found = {
        "server": model.notes[0],
        "requests": len(requests),
        "tokens": tokens,
        "seconds by Barthes": by_barthes,
        "seconds by threads": by_threads,
        "tokens per second": {"Barthes": tokens / ours, "server": tokens / theirs},
        "ratio": theirs / ours,
    }
    print(json.dumps(found, indent=1))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def list_requests(model: ServedModel, sentences: Sequence[str]) -> list[list[int]]:
    """Return the tokens of the story, and of the story without each sentence."""
    encoded = model.encode(sentences)
    kept = [range(len(encoded)), *([i for i in range(len(encoded)) if i != k] for k in range(len(encoded)))]
    texts = [[token for i in each for token in encoded[i]] for each in kept]
    return [[model.start_token, *text, model.end_token] for text in texts]


def send(address: str, name: str, requests: Sequence[Sequence[int]], threads: int) -> float:
    """Return the seconds that the server needs for the requests."""

    def ask(tokens: Sequence[int]) -> None:
        body = {"model": name, "prompt": tokens, "max_tokens": 1, "prompt_logprobs": 0}
        headers = {"Content-Type": "application/json"}
        with urlopen(Request(f"{address}/completions", json.dumps(body).encode(), headers)) as answer:
            answer.read()

    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(ask, requests))
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
