#!/usr/bin/env python3
"""Compare Barthes with other libraries in one table: time, tokens, memory, agreement with exact scores.

    python benchmarks/peers.py --environment FOLDER --out peers.json [--peers minicons captum] [--again]
    python benchmarks/peers.py --out peers.json --peers        print the table of kept results

The question is the same for all: how much does the rest of a tale lose without each sentence, in nats per
token? Every peer runs in a process of its own, in float32, on the same sentences and the same model, through
its public interface. The script installs the libraries into one virtual environment (--environment), with the
versions of constraints.txt for what they share with Barthes; one that cannot be installed or does not run is
listed with the error. Seconds exclude loading the model. Slow peers do a part of the work (--samples
sentences, or twice as many predicted tokens, spread over the tale); their time and tokens are scaled to
the whole and marked with ≈.

Results are added to the file of --out; a peer that is there already is not run again without --again. The
tale (--story) has one sentence per line. The yardstick is a script with two full passes per sentence, see
benchmarks/speed.py.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("BARTHES_SHARED", ROOT.parent / "shared"))
STORY = ROOT / "examples" / "the_ferrymans_daughter.sentences.txt"
START = "<|endoftext|>"


@dataclass
class Work:
    """What a peer is given, and what is measured while it computes."""

    sentences: list[str]
    model: str  # the folder of the model
    yardstick: str
    cache: str  # the score cache of Barthes
    samples: int
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    tokens: int = 0
    share: float = 1.0  # of the whole work that was done
    scores: dict[int, float] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)

    def load(self) -> tuple[Any, Any]:
        """Return the network in float32, and its tokenizer."""
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        network = AutoModelForCausalLM.from_pretrained(self.model, dtype=torch.float32).eval()
        return network, AutoTokenizer.from_pretrained(self.model)

    @contextlib.contextmanager
    def measure(self, network: Any = None) -> Iterator[None]:
        """Measure time, and count the tokens that go through a network, after warming it up."""

        def count(module: Any, args: Any, kwargs: Any) -> None:
            given = [*args, kwargs.get("input_ids"), kwargs.get("inputs_embeds")]
            self.tokens += next(each.shape[0] * each.shape[1] for each in given if each is not None)

        if network is not None:
            import torch

            with torch.no_grad():
                network(torch.arange(1, 257)[None])
            network.base_model.register_forward_pre_hook(count, with_kwargs=True)
        began, began_cpu = time.perf_counter(), time.process_time()
        yield
        self.seconds, self.cpu_seconds = time.perf_counter() - began, time.process_time() - began_cpu

    def sample(self) -> list[int]:
        """Choose the sentences of a part of the work, and note its share."""
        chosen = spread(len(self.sentences), self.samples)
        self.share = len(chosen) / len(self.sentences)
        return chosen

    def before(self, k: int) -> str:
        return START + " ".join(self.sentences[:k])

    def after(self, k: int) -> str:
        return " " + " ".join(self.sentences[k + 1 :])


def spread(count: int, samples: int) -> list[int]:
    """Return the middles of equal parts, whose average place is the middle."""
    return sorted({(2 * i + 1) * count // (2 * samples) for i in range(min(samples, count))})


def encode(tokenizer: Any, sentences: list[str]) -> list[list[int]]:
    """Return the tokens of the start and of each sentence."""
    texts = [START, *(" " * (i > 0) + each for i, each in enumerate(sentences))]
    ids = [tokenizer.encode(text, add_special_tokens=False) for text in texts]
    if list(chain(*ids)) != tokenizer.encode("".join(texts), add_special_tokens=False):
        raise SystemExit("the tokens of the tale are not those of its sentences: choose another tale")
    return ids


@dataclass(frozen=True)
class Peer:
    run: Callable[[Work], None]
    use: str
    lacks: str
    package: str | None  # None: runs in the environment of this script


PEERS: dict[str, Peer] = {}


def peer(name: str, use: str, lacks: str, package: str | None = None) -> Callable[[Any], Any]:
    """Register a function that does the work of a peer. Only those that run Barthes may import it."""

    def register(run: Callable[[Work], None]) -> Callable[[Work], None]:
        PEERS[name] = Peer(run, use, lacks, package)
        return run

    return register


@peer("yardstick", "two full passes per sentence", "reuse anything")
def run_yardstick(work: Work) -> None:
    spec = importlib.util.spec_from_file_location("yardstick", work.yardstick)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{work.yardstick} is not a Python script")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    network, tokenizer = work.load()
    start, *ids = encode(tokenizer, work.sentences)
    with work.measure(network):
        for k in work.sample():
            before, after = [*start, *chain(*ids[:k])], [*chain(*ids[k + 1 :])]
            with_it = script.mean_log_likelihood(network, before + ids[k], after)
            work.scores[k] = with_it - script.mean_log_likelihood(network, before, after)


@peer(
    "minicons",
    "`token_score` of the tale, then of the tale without each sentence",
    "reuse what precedes; split or rank a text",
    "minicons==0.3.39",
)
def run_minicons(work: Work) -> None:
    from minicons.scorer import IncrementalLMScorer

    scorer = IncrementalLMScorer(work.model, "cpu")

    def read(text: str) -> list[float]:
        return [score for _, score in scorer.token_score([text])[0]]

    with work.measure(scorer.model):
        whole, chosen = read(work.before(len(work.sentences))), work.sample()
        for k in chosen:
            tokens = len(scorer.tokenizer.encode(work.after(k)))
            without = read(work.before(k) + work.after(k))
            work.scores[k] = (sum(whole[-tokens:]) - sum(without[-tokens:])) / tokens
    work.share = (1 + len(chosen)) / (1 + len(work.sentences))


@peer(
    "lm-eval",
    "`loglikelihood` of what follows, with and without the sentence, `logits_cache=False`",
    "reuse what precedes; split or rank a text",
    "lm-eval==0.4.13",
)
def run_lm_eval(work: Work) -> None:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    # The cache of logits is meant for continuations of one token: requests with the same text, divided in
    # different places, get the logits of the first of them, without an error.
    harness = HFLM(work.model, device="cpu", dtype="float32", logits_cache=False)
    asked: list[Instance] = []
    for k in work.sample():
        for context in (work.before(k + 1), work.before(k)):
            asked.append(Instance("loglikelihood", {}, (context, work.after(k)), len(asked)))
    with work.measure(harness.model):
        sums = [log_likelihood for log_likelihood, _ in harness.loglikelihood(asked, disable_tqdm=True)]
    for i, k in enumerate(work.sample()):
        tokens = len(harness.tok_encode(work.after(k)))
        work.scores[k] = (sums[2 * i] - sums[2 * i + 1]) / tokens


@peer(
    "captum",
    "`LLMAttribution` by `FeatureAblation` of the sentence, what follows as target",
    "share passes between sentences, whose targets differ; reuse what precedes",
    "captum==0.9.0",
)
def run_captum(work: Work) -> None:
    from captum.attr import FeatureAblation, LLMAttribution, TextTemplateInput

    network, tokenizer = work.load()
    attribution = LLMAttribution(FeatureAblation(network), tokenizer)
    with work.measure(network):
        for k in work.sample():
            before, sentence = work.before(k), " " * (k > 0) + work.sentences[k]
            story = TextTemplateInput(lambda text, before=before: before + text, [sentence], baselines=[""])
            found = attribution.attribute(story, target=work.after(k), forward_in_tokens=False)
            work.scores[k] = float(found.seq_attr[0]) / len(found.output_tokens)


@peer(
    "inseq",
    "`input_x_gradient` of later tokens, averaged, summed by sentence",
    "leave out sentences; attribute many tokens in one pass; give nats",
    "inseq==0.7.1",
)
def run_inseq(work: Work) -> None:
    import inseq

    network, tokenizer = work.load()
    model = inseq.load_model(network, "input_x_gradient", tokenizer=work.model)
    sentences = encode(tokenizer, work.sentences)
    ends, ids = list(accumulate(map(len, sentences))), list(chain(*sentences))
    targets = spread(len(ids), 2 * work.samples)
    found: dict[int, list[float]] = {k: [] for k in range(len(ends) - 1)}
    with work.measure(network):
        for target in targets:
            texts = tokenizer.decode(ids[:target]), tokenizer.decode(ids[: target + 1])
            asked = {"attr_pos_start": target, "attributed_fn": "logit", "show_progress": False}
            out = model.attribute(*texts, **asked)
            weights = out.sequence_attributions[0].aggregate().target_attributions[:, 0].tolist()
            for k, (start, end) in enumerate(pairwise(ends)):
                if end <= target:
                    found[k].append(sum(weights[start:end]))
    work.share = len(targets) / len(ids)
    work.scores = {k: sum(each) / len(each) for k, each in found.items() if each}


@peer(
    "context-cite",
    "64 ablations; first half as context, second half as response; Lasso with `alpha` 1e-4",
    "score the second half; take a given response or plain text without patching",
    "context-cite==0.0.4",
)
def run_context_cite(work: Work) -> None:
    from context_cite import ContextCiter
    from context_cite.context_partitioner import BaseContextPartitioner
    from context_cite.solver import LassoRegression

    half = len(work.sentences) // 2
    sources, response = work.sentences[:half], work.after(half - 1)

    class Sentences(BaseContextPartitioner):  # the default partitioner downloads a model
        num_sources = half

        def split_context(self) -> None:
            pass

        def get_source(self, index: int) -> str:
            return sources[index]

        def get_context(self, mask: Any = None) -> str:
            return " ".join(each for i, each in enumerate(sources) if mask is None or mask[i])

    network, tokenizer = work.load()
    tokenizer.chat_template = "{{ messages[0]['content'] }}"  # a story, not a chat
    context = " ".join(sources)
    given = {"prompt_template": START + "{context}", "partitioner": Sentences(context)}
    citer = ContextCiter(network, tokenizer, context, "", **given)
    citer._cache["output"] = START + context + response  # the response cannot be given in another way
    with work.measure(network):
        default = citer.get_attributions(verbose=False)
    citer.solver = LassoRegression(lasso_alpha=1e-4)  # the default leaves little of small effects
    work.scores = dict(enumerate(map(float, citer.get_attributions(verbose=False))))
    work.extra["not zero with the default alpha"] = sum(score != 0 for score in default.tolist())


@peer(
    "at2",
    "weights of heads trained on 32 ablations of this tale, then one pass",
    "run without weights trained for the model; give nats",
    "at2==0.0.1",
)
def run_at2(work: Work, masks: int = 32) -> None:
    """Score all sentences in one pass, with weights of heads learned from ablations of the first half."""
    from at2 import AT2Attributor, AT2ScoreEstimator
    from at2.attribution.features import AttentionFeatureExtractor
    from at2.attribution.trainer import LinearScoreEstimatorTrainer
    from at2.tasks.base import AttributionTask

    network, tokenizer = work.load()
    ends = list(accumulate(map(len, encode(tokenizer, work.sentences))))
    ranges = list(pairwise(ends))
    half = len(ranges) // 2

    class Story(AttributionTask):
        """Sentences up to `cut` are sources, those from `first` on are targets."""

        cut, first = half, half

        @property
        def input_text(self) -> str:
            return work.before(self.first)

        def _get_source_token_ranges(self) -> list[tuple[int, int]]:
            return ranges[: self.cut]

        @property
        def target_token_range(self) -> tuple[int, int]:
            return ranges[self.first][0], ends[-1]

        def get_sub_target_token_ranges(self, split_by: Any = None, relative: bool = False) -> Any:
            begin = self.target_token_range[0] * relative
            return [(start - begin, end - begin) for start, end in ranges[self.first :]]

    class WholeStory(Story):
        cut, first = len(ranges), 0

    config = network.config
    heads = AttentionFeatureExtractor(config.num_hidden_layers, config.num_attention_heads, "llama")
    estimator = AT2ScoreEstimator(heads)
    with tempfile.TemporaryDirectory() as folder, work.measure(network):
        if masks:
            generations = Path(folder) / "generations" / "0_of_1.json"
            generations.parent.mkdir()
            generations.write_text(json.dumps({0: work.after(half - 1)}), encoding="utf-8")
            models = network, tokenizer, lambda example, *model: Story(*model), heads
            trainer = LinearScoreEstimatorTrainer(folder, [0], *models, num_masks=masks)
            trainer.generate()
            trainer.compute_features_and_outputs(batch_size=1)
            batch = len(ranges) - half
            estimator = trainer.train(batch_size=batch, sampling_method="instances", device="cpu")
        began = time.perf_counter()
        task = WholeStory(network, tokenizer)
        task.set_generation(" ".join(work.sentences))
        attributor = AT2Attributor(task, estimator)
        for k, (_, end) in enumerate(ranges[:-1]):
            later = {"token_start": end - ends[0], "token_end": ends[-1] - ends[0]}
            work.scores[k] = float(attributor.get_attribution_scores(**later)[k])
        work.extra["seconds after training"] = time.perf_counter() - began


@peer("at2, untrained", "mean attention of all heads, one pass", "give nats", "at2==0.0.1")
def run_at2_untrained(work: Work) -> None:
    run_at2(work, masks=0)


@peer(
    "AttriBoT",
    "its prefix cache, written for this comparison: keys and values before the sentence are reused",
    "share passes of short continuations",
)
def run_attribot(work: Work) -> None:
    network, tokenizer = work.load()
    ids = encode(tokenizer, work.sentences)
    rests = [1 + len(list(chain(*ids[k + 2 :]))) for k in range(len(work.sentences) - 1)]
    chosen = spread(len(rests), 2 * work.samples)
    with work.measure(network):
        losses = leave_out(network, ids, [(k, k + 1) for k in chosen])
    work.scores = {k: loss for (k, _), loss in losses.items()}
    work.share = work.tokens / (len(list(chain(*ids))) + sum(rests))


@peer(
    "AttriBoT, hierarchical",
    "the same for groups of 8 sentences, then for the sentences of the 30 % of groups that are missed most",
    "tell apart the sentences of other groups",
)
def run_attribot_hierarchical(work: Work) -> None:
    network, tokenizer = work.load()
    ids = encode(tokenizer, work.sentences)
    last = len(work.sentences) - 1  # nothing follows it
    groups = [(first, min(first + 8, last)) for first in range(0, last, 8)]
    with work.measure(network):
        found = leave_out(network, ids, groups)
        shares = {group: loss / (group[1] - group[0]) for group, loss in found.items()}
        kept = sorted(groups, key=shares.__getitem__, reverse=True)[: round(0.3 * len(groups))]
        single = leave_out(network, ids, [(k, k + 1) for group in kept for k in range(*group)])
    work.scores = {k: share for group, share in shares.items() for k in range(*group)}
    work.scores |= {k: loss for (k, _), loss in single.items()}


def leave_out(
    network: Any, ids: list[list[int]], spans: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], float]:
    """Return the loss per token of what follows each span of sentences without it.

    The tale is read once. What precedes a span is read from its cache, which is cropped from span to span.
    """
    import torch

    flat, ends = list(chain(*ids)), list(accumulate(map(len, ids)))
    found = {}

    def read(tokens: list[int], cache: Any) -> tuple[Any, Any]:
        out = network(torch.tensor([tokens]), past_key_values=cache, use_cache=True)
        chances = out.logits[0, :-1].float().log_softmax(-1)
        return chances.gather(-1, torch.tensor(tokens[1:])[:, None])[:, 0], out.past_key_values

    with torch.inference_mode():
        whole, cache = read(flat, None)
        for first, last in sorted(spans, reverse=True):
            start, end = ends[first], ends[last]
            # The token before the span is read again: it predicts the first of the rest.
            cache.crop(start - 1 - cache.get_seq_length())
            without, cache = read([flat[start - 1], *flat[end:]], cache)
            found[first, last] = float((whole[end - 1 :] - without).mean())
    return found


@peer("**Barthes**", "`barthes.score`", "–")
def run_barthes(work: Work) -> None:
    Path(work.cache).unlink(missing_ok=True)
    profile = score_by_barthes(work, "sd", warm_up=True)
    half = len(work.sentences) // 2
    weights = [len(ids) for ids in encode(work.load()[1], work.sentences)[half + 1 :]]
    later = profile.influences.to_array()[half:, :half]
    work.extra["losses of the second half"] = [
        sum(w * x for w, x in zip(weights, losses, strict=True)) / sum(weights) for losses in later.T.tolist()
    ]


@peer("**Barthes, preview**", "`barthes.score(method='preview')`", "be exact")
def run_barthes_preview(work: Work) -> None:
    score_by_barthes(work, "preview", warm_up=True)


@peer("**Barthes, cached**", "`barthes.score` again, in a new process", "–")
def run_barthes_cached(work: Work) -> None:
    score_by_barthes(work, "sd", warm_up=False)
    work.tokens = 0


def score_by_barthes(work: Work, method: str, *, warm_up: bool) -> Any:
    """Score the tale with the cache; without warming up, the model is loaded only if it is needed."""
    import barthes
    from barthes.cache import ScoreCache
    from barthes.models.deferred import DeferredModel

    cache = ScoreCache(Path(work.cache))
    model = DeferredModel(dtype="float32", cache=cache)

    def note(done: int, total: int) -> None:
        work.tokens = total

    if warm_up:
        barthes.score(work.sentences[:3], method=method, model=model)
    with work.measure():
        profile = barthes.score(work.sentences, method=method, model=model, cache=cache, progress=note)
    work.scores = dict(enumerate(profile.scores[:-1]))  # nothing follows the last sentence
    return profile


def run_here(name: str) -> None:
    """Run a peer in this process and print what was measured as the last line."""
    work = Work(**json.loads(sys.stdin.read()))
    PEERS[name].run(work)
    peak, last = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(work.sentences) - 1
    result = {
        "seconds": round(work.seconds, 3),
        "cpu_seconds": round(work.cpu_seconds, 3),
        "tokens": work.tokens,
        "share": work.share,
        "memory": peak if sys.platform == "darwin" else peak * 1024,
        "scores": [float(f"{work.scores[k]:.7g}") if k in work.scores else None for k in range(last)],
    }
    print("\n" + json.dumps(result | work.extra))


def run_peer(name: str, given: dict[str, Any], environment: Path) -> dict[str, Any]:
    """Install a peer and run it in its own process; return what was measured, or the error."""
    package, python = PEERS[name].package, sys.executable
    try:
        if package is not None:
            python = str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
            if not Path(python).exists():
                venv.create(environment, with_pip=True)
            pinned = ["-c", str(ROOT / "constraints.txt"), "torch", "transformers", "accelerate"]
            run([python, "-m", "pip", "install", "-q", package, *pinned])
        output = run([python, __file__, "--run", name], json.dumps(given))
    except RuntimeError as error:
        return {"error": str(error)}
    result: dict[str, Any] = json.loads(output.splitlines()[-1])
    return result


def run(command: list[str], given: str = "") -> str:
    """Run a command and return its output; raise an error with the last line of its errors."""
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip() and "WARNING" not in line]
        raise RuntimeError(lines[-1].strip() if lines else f"exit code {done.returncode}")
    return done.stdout


def compare(scores: list[float | None], exact: list[float]) -> str:
    """Describe how scores agree with exact ones."""
    from barthes.evaluation.significance import spearman

    both = [(score, true) for score, true in zip(scores, exact, strict=False) if score is not None]
    partial = f" ({len(both)} sentences)" * (len(both) < len(exact))
    largest = max(abs(score - true) for score, true in both)
    if largest < 1e-4:
        return "same" + f" within {largest:.0e}" * (largest > 0) + partial
    return f"{spearman(*zip(*both, strict=True)):.2f}{partial}"


def format_table(results: dict[str, Any]) -> str:
    """Return the table in Markdown; times and tokens of a part of the work are scaled to the whole."""
    exact = results["**Barthes**"]["scores"]
    lines = [
        "| | seconds | tokens | peak memory | Spearman with exact SD | cannot |",
        "|---|---|---|---|---|---|",
    ]
    for name, each in PEERS.items():
        result = results.get(name)
        if result is None:
            continue
        if "error" in result:
            lines.append(f"| {name} | – | – | – | – | run here: `{result['error']}` |")
            continue
        measured = [result[unit] / result["share"] for unit in ("seconds", "tokens")]
        figures = [f"{'≈ ' * (result['share'] < 1)}{x:,.{int(0 < x < 10)}f}" for x in measured]
        memory, agreement = f"{result['memory'] / 2**30:.2f} GiB", compare(result["scores"], exact)
        lines.append(f"| {' | '.join([name, *figures, memory, agreement, each.lacks])} |")
    return "\n".join(lines)


def write_results(path: Path, about: dict[str, Any], results: dict[str, Any]) -> None:
    """Write the results with one line per peer."""
    lines = (f"{json.dumps(name)}: {json.dumps(result)}" for name, result in results.items())
    content = f'{{"about": {json.dumps(about)},\n"results": {{\n' + ",\n".join(lines) + "\n}}\n"
    path.write_text(content, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--story", type=Path, default=STORY)
    parser.add_argument("--yardstick", type=Path, default=SHARED / "bench" / "naive.py")
    parser.add_argument("--environment", type=Path, default=Path("peers"), help="where peers are installed")
    parser.add_argument("--out", type=Path, default=Path("peers.json"))
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--sentences", type=int, help="only the first N sentences, for a trial")
    parser.add_argument("--samples", type=int, default=8, help="sentences that slow peers score")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="default: one per core")
    parser.add_argument("--again", action="store_true", help="run peers that have results already")
    parser.add_argument("--run", choices=PEERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run_here(arguments.run)
        return
    from barthes.models.embedded import DEFAULT_MODEL, ensure

    lines = arguments.story.read_text(encoding="utf-8").splitlines()
    sentences = [line.strip() for line in lines if line.strip()][: arguments.sentences]
    about = {"story": arguments.story.name, "sentences": len(sentences), "model": DEFAULT_MODEL}
    about |= {"threads": arguments.threads, "python": platform.python_version()}
    about |= {package: version(package) for package in ("torch", "transformers")}
    kept = json.loads(arguments.out.read_text(encoding="utf-8")) if arguments.out.exists() else {}
    if kept and kept["about"] != about:
        parser.error(f"{arguments.out} has results of other work ({kept['about']}): name another file")
    results = kept.get("results", {})
    environment = arguments.environment.resolve()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    given = {
        "sentences": sentences,
        "model": str(ensure(DEFAULT_MODEL)),
        "yardstick": str(arguments.yardstick),
        "cache": str(environment.with_suffix(".sqlite")),
        "samples": arguments.samples,
    }
    for name in arguments.peers:
        if name not in results or arguments.again:
            print(f"{name} …", file=sys.stderr)
            results[name] = run_peer(name, given, environment)
            write_results(arguments.out, about, results)
    if "**Barthes**" in results:
        print(format_table(results))


if __name__ == "__main__":
    main()
