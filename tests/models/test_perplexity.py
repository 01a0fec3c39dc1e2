from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import barthes
from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.perplexity import Perplexity, TextPerplexity, measure_perplexity
from barthes.narrative import Narrative
from tests.tiny_models import WORDS, tiny_model


def narrate(*sentences, title="story"):
    return Narrative.from_sentences(sentences, title=title)


def test_it_can_be_worked_out_by_hand():
    """P(a) = 2/5 after the start, P(b | a) = 3/6."""
    found = measure_perplexity(CountingModel(["a b a b"], k=1.0), [narrate("a", "b")])
    assert found.value == pytest.approx(math.sqrt(1 / 0.2))
    assert found.mean_log_probability == pytest.approx(math.log(0.2) / 2)
    assert (found.model, found.precision, found.tokens) == ("counting", "float64", 2)
    assert [text.title for text in found.texts] == ["story"]


def test_each_token_counts_the_same():
    model = tiny_model()
    short = narrate("a wolf came")
    long = narrate("the king ran and the girl slept and it rained .", title="long")
    found = measure_perplexity(model, [short, long])
    alone = [measure_perplexity(model, [text]) for text in (short, long)]
    assert found.texts == tuple(text for one in alone for text in one.texts)
    weighted = sum(one.tokens * one.mean_log_probability for one in alone) / found.tokens
    assert found.mean_log_probability == pytest.approx(weighted)
    assert found.value == pytest.approx(math.exp(-weighted))


def test_line_breaks_are_spaces():
    texts = [Narrative("a wolf\n  came", ((0, 13),)), narrate("a wolf came")]
    broken, whole = measure_perplexity(tiny_model(), texts).texts
    assert broken.perplexity == whole.perplexity


def test_a_text_that_does_not_fit_is_read_in_windows():
    model = tiny_model(context=16)
    found = measure_perplexity(model, [narrate(*["the wolf ate the sheep ."] * 20)])
    assert found.tokens == 120
    assert math.isfinite(found.value)


def test_progress_counts_characters():
    steps = []
    texts = [narrate("a wolf"), narrate("a"), narrate("a king")]
    measure_perplexity(CountingModel(["a"]), texts, progress=lambda *step: steps.append(step))
    assert steps == [(0, 13), (6, 13), (7, 13), (13, 13)]


def test_nothing_to_read_has_no_perplexity():
    found = measure_perplexity(CountingModel(["a"]), [])
    assert (found.tokens, found.value, found.mean_log_probability) == (0, None, None)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["perplexity"] is None


def test_beyond_what_a_number_can_hold():
    text = TextPerplexity("odd", -1e6, 10)
    assert text.perplexity == math.inf
    assert text.to_dict()["perplexity"] is None
    assert text.to_dict()["mean_log_probability"] == -1e5


def test_a_model_that_gives_no_numbers_is_refused():
    model = tiny_model()
    model.network.get_output_embeddings().weight.data.fill_(float("nan"))
    with pytest.raises(ModelError, match="not numbers"):
        measure_perplexity(model, [narrate("a wolf came")])


def test_it_is_public_and_plain():
    assert barthes.measure_perplexity is measure_perplexity
    found = barthes.measure_perplexity(tiny_model(), [narrate("a wolf came", title="wolf")])
    plain = found.to_dict()
    figures = ["tokens", "log_probability", "mean_log_probability", "perplexity"]
    assert list(plain) == ["model", "precision", *figures, "texts"]
    assert plain["texts"] == [{"text": "wolf", **{key: plain[key] for key in figures}}]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), min_size=1, max_size=5))
def test_the_whole_lies_between_its_parts(stories):
    model = CountingModel(["the wolf came and ate the sheep ."], k=0.5)
    found = measure_perplexity(model, [narrate(" ".join(words)) for words in stories])
    parts = [text.perplexity for text in found.texts]
    assert min(parts) * (1 - 1e-9) <= found.value <= max(parts) * (1 + 1e-9)
    assert found.value >= 1
    assert isinstance(found, Perplexity)
