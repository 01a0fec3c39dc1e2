"""Compare what the benchmarks compute themselves with plain computations on the counting model."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import barthes
from barthes.evaluation.corpus import LabelledNarrative, StoryCollection
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.opening import open_corpus
from barthes.models.counting import CountingModel
from barthes.removal.removal import delete_sentences
from barthes.salience.coherence_loss import CoherenceLoss
from barthes_research.perplexity import measure_perplexity
from tests.tiny_models import by_hand, tiny_network

STORY = barthes.Narrative.from_sentences(
    ["A wolf came.", "The girl ran to the well.", "The wolf ran too.", "It rained.", "The girl came home."]
)


@pytest.fixture
def benchmark(monkeypatch):
    """Return a function that imports a benchmark from its folder."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
    return importlib.import_module


@pytest.fixture
def model():
    return CountingModel([STORY.text], k=0.5)


def log_probability(model, given, ids):
    return float(model.continuation_log_probabilities([model.start_token, *given], ids).sum())


def test_surprise_and_question(benchmark, model):
    cues = benchmark("asking_cues")
    sentences = cues.encode_anywhere(model, STORY)
    surprise, _ = cues.find_surprise(model, STORY)
    whole = [token for ids in cues.encode(model, STORY) for token in ids]
    assert surprise.sum() == pytest.approx(-log_probability(model, [], whole))
    *story, question = model.encode([*map(str, STORY), cues.QUESTION])
    before = [token for ids in [*story, question] for token in ids]
    named, tokens = cues.ask_for(model, STORY)
    assert named == pytest.approx(
        [log_probability(model, before, ids) - log_probability(model, [], ids) for ids in sentences]
    )
    assert tokens.tolist() == [len(ids) for ids in sentences]


def test_insertion(benchmark, model):
    cues = benchmark("asking_cues")
    sentences = cues.encode_anywhere(model, STORY)
    headline, tokens = cues.read_headline(model, STORY)
    pairs, others = cues.read_pairs(model, STORY)
    for k, ids in enumerate(sentences):
        rest = [token for j, each in enumerate(sentences) if j != k for token in each]
        assert headline[k] == pytest.approx(
            log_probability(model, ids, rest) - log_probability(model, [], rest)
        )
        gains = [
            log_probability(model, ids, each) - log_probability(model, [], each)
            for j, each in enumerate(sentences)
            if j != k
        ]
        assert pairs[k] == pytest.approx(sum(gains))
        assert tokens[k] == others[k] == len(rest)


@pytest.mark.parametrize("horizon", [None, 4])
def test_removal_controls(benchmark, model, horizon):
    cues = benchmark("removal_cues")
    removals = {"sd": delete_sentences, "same": cues.replace_all(lambda sentence, dice: sentence)}
    losses = cues.read_losses(STORY, model, removals, horizon)
    exact = CoherenceLoss(model)
    task = replace(exact.prepare(STORY, delete_sentences(STORY)), horizon=horizon)
    expected = [loss.total for loss in exact.measure(task)]
    tokens = cues.Tokens(model.encode)
    every = tokens.mark_all(STORY)
    found = [loss.mean(every) for loss in losses["sd"]]
    assert found == pytest.approx(expected)
    assert [loss.mean(every) for loss in losses["same"]] == [0.0] * len(STORY)
    content = tokens.mark_words(STORY, least=1)
    recurring = tokens.mark_words(STORY, least=2)
    assert 0 < recurring.sum() < content.sum() < every.sum()
    assert losses["sd"][-1].mean(content) == found[-1]  # the end of the text


def test_shuffled_words_keep_the_final_punctuation(benchmark):
    cues = benchmark("removal_cues")
    shuffled = cues.replace_all(cues.shuffle)(STORY)
    for removed, sentence in zip(shuffled, STORY, strict=True):
        assert removed.text != str(sentence)
        assert removed.text.endswith(".")
        assert sorted(removed.text[:-1].split()) == sorted(str(sentence)[:-1].split())


def test_residuals_do_not_depend_on_length(benchmark, model):
    tokens = benchmark("removal_cues").Tokens(model.encode)
    lengths = np.array(tokens.lengths(STORY), dtype=float)
    assert tokens.subtract_length(STORY, 3 * lengths + 1) == pytest.approx(np.zeros(len(STORY)), abs=1e-9)


@pytest.fixture
def labelled(tmp_path):
    """Write a corpus of four stories; return its name for the benchmarks."""
    rows = [
        f"tale{story}\t{STORY[(story + place) % 5]}\t{int(place == story)}\n"
        for story in range(4)
        for place in range(5)
    ]
    path = tmp_path / "tales.tsv"
    path.write_text("story\tsentence\tlabel\n" + "".join(rows), encoding="utf-8")
    return f"labelled={path}"


def test_models_are_compared_on_the_stories_that_all_have_scored(
    benchmark, model, labelled, tmp_path, monkeypatch, capsys
):
    script = benchmark("larger_models")
    loaded = {"small": model, "large": CountingModel([STORY.text], k=0.01)}
    monkeypatch.setattr(barthes, "load_model", lambda name, dtype: loaded[name])

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["larger_models.py", *arguments, "--folder", str(tmp_path)])
        script.main()

    def read(name):
        return json.loads((tmp_path / name).read_text(encoding="utf-8"))

    for name in loaded:
        run("score", "--corpus", labelled, "--model", name, "--methods", "sd")
    for name in loaded:
        run("score", "--corpus", labelled, "--model", name, "--methods", "sd", "pmi")
    large = read("labelled-large.json")
    del large["stories"]["tale2"]["sd"]
    (tmp_path / "labelled-large.json").write_text(json.dumps(large), encoding="utf-8")
    run("summary", "--corpus", labelled, "--models", *loaded, "--json", str(tmp_path / "figures.json"))
    [found] = read("figures.json")["corpora"]
    tables = {(table["method"], table["stories"]): table for table in found["tables"]}
    assert list(tables) == [("sd", 3), ("pmi", 4)]
    corpus = open_corpus(labelled)
    expected = evaluate([barthes.SentenceDeletion(model), "pmi"], corpus, model=model)
    assert tables["pmi", 4]["rows"][0]["value"] == pytest.approx(expected["pmi"].map)
    one, other = tables["sd", 3]["rows"]
    kept = {name: value for name, value in expected["sd"].per_story.items() if name != "tale2"}
    assert one["per_story"] == pytest.approx(kept)
    assert one["difference"] == 0
    assert other["difference"] == pytest.approx(other["value"] - one["value"])
    perplexity = measure_perplexity(model, [story.narrative for story in corpus])
    assert found["fit"][0]["perplexity"] == pytest.approx(perplexity.value)
    assert str(STORY[0]) not in (tmp_path / "figures.json").read_text(encoding="utf-8")
    assert "| `sd` | large | 3 |" in capsys.readouterr().out


def test_a_third_of_the_stories_keeps_groups_together(benchmark):
    choose = benchmark("larger_models").choose
    stories = [LabelledNarrative(f"{k}", STORY, (True,) * 5, group=f"event {k // 3}") for k in range(18)]
    chosen = {story.name for story in choose(stories, third=True)}
    assert chosen == {"0", "1", "2", "9", "10", "11"}
    assert len(choose(stories, third=False)) == 18
    alone = [LabelledNarrative(f"{k}", STORY, (True,) * 5) for k in range(9)]
    assert {story.name for story in choose(alone, third=True)} == {"0", "3", "6"}


def test_ranks_of_functions(benchmark):
    found = benchmark("functions_found")
    assert [found.find_group(each) for each in ("A15(xvi)", "Pr7", "F_9", "W*", "up", "d7")] == [
        "villainy, lack",
        "pursuit, rescue",
        "donor, gift",
        "ending",
        "sending, leaving",
        "donor, gift",
    ]
    assert found.find_group("?") is None
    assert [found.place([0.1, 0.3, 0.2, 0.3], k) for k in range(4)] == pytest.approx([0, 5 / 6, 1 / 3, 5 / 6])
    assert found.describe({"one": [0.0, 1.0], "two": [1.0, 0.0]}, {"one": {1}, "two": {1}}) == "0.50 (0.50)"


def test_a_part_of_a_corpus(benchmark):
    take_part = benchmark("removal_variants").take_part

    class Stories(StoryCollection):
        name, labelling = "stories", "none"

    texts = {"a1": "It rained and rained.", "b1": "A wolf came home.", "c1": "It died.", "a2": "It rained."}
    stories = [
        LabelledNarrative(name, barthes.Narrative.from_sentences([text]), (True,), group=name[0])
        for name, text in texts.items()
    ]
    corpus = Stories(stories, [], where="stories", remedy="")

    def names(**options):
        return [story.name for story in take_part(corpus, **{"every": 1, "shortest": None} | options)]

    assert names() == ["a1", "b1", "c1", "a2"]
    assert names(every=2) == ["a1", "c1", "a2"]
    assert names(shortest=2) == ["c1", "a2"]
    assert names(every=2, shortest=1) == ["a2"]
    assert len(corpus) == 4


def test_costs_of_cuts(benchmark, model):
    cutting = benchmark("cutting")
    method = barthes.SentenceDeletion(model)
    tokens = method.prepare(STORY).tokens
    shortened = barthes.cut(STORY, to=0.6, model=model)
    gone = {each.sentence.index for each in shortened.cuts}
    assert len(gone) > 1
    whole = model.read([model.start_token, *(token for ids in tokens for token in ids)])
    assert cutting.measure_cost(whole, model.start_token, tokens, gone) == pytest.approx(
        shortened.cost_per_token
    )
    assert cutting.cut_by_rank(STORY, [4, 1, 3, 2, 0], target=13) == {1}
    assert cutting.cut_by_rank(STORY, [4, 1, 3, 2, 0], target=11) == {1, 3}


def test_shares_of_words_that_people_kept(benchmark):
    cutting = benchmark("cutting")
    grades = (1.0, 0.5, 0.0, 0.5, 1.0)
    story = cutting.TelegraphicStory("one", STORY, tuple(grade >= 0.5 for grade in grades), grades)
    assert cutting.share_of_people(story, {1, 2}) == pytest.approx((3 + 1 + 4) / 9)
    rows = {"a": {"x": dict.fromkeys(("share", "cost", "words", "place"), 0.5)}}
    assert cutting.summarize(rows)["x"]["share"] == (0.5, 0.5, 0.5)


def test_a_novel_of_folktales(benchmark, shared, tmp_path):
    novel, folder = benchmark("novel"), shared("data/folktales")
    text = novel.build_novel(folder, 3000)
    assert 3000 <= len(text.split()) < 3400
    assert text.startswith(novel.build_novel(folder, 500))
    with pytest.raises(SystemExit, match="fewer than 10 words"):
        novel.build_novel(tmp_path, 10)


def test_similarity_to_the_story(benchmark):
    states_of = benchmark("readers_states")
    rng = np.random.default_rng(0)
    states = rng.normal(size=(6, 3, 4)) + 1
    mean = states.mean(axis=0)
    features = states_of.training.StoryFeatures(
        states - mean, np.zeros((6, 0)), np.zeros((6, 0)), np.concatenate([mean.ravel(), [1.8, 2.0]])
    )
    story = states_of.fitting.TrainingStory("tales", "group", features, [0.0] * 6)
    [scores] = states_of.compare_with_story([("corpus", "name")], [story]).values()
    whole = mean[1] / np.linalg.norm(mean[1])
    expected = [state @ whole / np.linalg.norm(state) for state in states[:, 1]]
    assert scores == pytest.approx(expected)


def test_leaving_spans_out_with_a_prefix_cache(benchmark):
    peers, network = benchmark("peers"), tiny_network()
    start, *sentences = ids = [[0], [2, 3, 4], [5, 6], [7, 8, 9, 10], [3, 11], [12, 4, 2]]
    spans = [(0, 1), (1, 3), (3, 4)]
    losses = {}
    for first, last in spans:
        before, removed, rest = (
            [token for each in part for token in each]
            for part in (sentences[:first], sentences[first:last], sentences[last:])
        )
        with_them = by_hand(network, start + before + removed, rest)
        losses[first, last] = np.mean(with_them) - np.mean(by_hand(network, start + before, rest))
    assert peers.leave_out(network, ids, spans) == pytest.approx(losses, abs=1e-5)


def test_sampled_work_is_spread(benchmark):
    peers = benchmark("peers")
    assert peers.spread(80, 4) == [10, 30, 50, 70]
    assert peers.spread(3, 3) == [0, 1, 2]
