"""Barthes as a part of a spaCy pipeline."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin

import barthes
from barthes.errors import NarrativeError, UnknownNameError
from barthes.integrations.spacy_component import SalienceSettings
from tests.tiny_models import tiny_network, tiny_tokenizer

ROOT = Path(__file__).parents[2]
TEXTS = ["A wolf came. It rained. \n\n The wolf ate the sheep.", "", "  \n ", "The end.\n"]


def pipeline(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("event_salience", config=config)
    return nlp


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A language model of a few thousand weights, saved as people save theirs."""
    path = tmp_path_factory.mktemp("model")
    tiny_network().save_pretrained(path)
    tiny_tokenizer().save_pretrained(path)
    return path


def test_sentences_have_their_salience_and_the_document_its_profile():
    doc = pipeline(method="length+position")(TEXTS[0])
    profile = doc._.salience_profile
    expected = barthes.score(
        ["A wolf came.", "It rained.", "The wolf ate the sheep."], method="length+position"
    )
    assert [sent._.salience for sent in doc.sents] == list(profile.scores) == list(expected.scores)
    assert profile.method == "length+position"
    assert [sentence.text for sentence in profile.narrative] == [sent.text.strip() for sent in doc.sents]
    assert profile.narrative.text == doc.text
    assert doc[0:2]._.salience is None, "not a sentence"


def test_a_language_model_by_name(folder):
    doc = pipeline(model=str(folder), window=64, dtype="float32")(
        "The wolf came . The girl ran . The king died ."
    )
    profile = doc._.salience_profile
    model = barthes.load_model(str(folder), dtype="float32")
    assert profile == barthes.SentenceDeletion(model, window=64).score(profile.narrative)
    assert profile.influence.shape == (3, 3)
    assert profile.precision == "float32"


@pytest.mark.parametrize("n_process", [1, 2])
def test_streams_and_processes(n_process):
    docs = list(pipeline(method="length").pipe(TEXTS, n_process=n_process))
    assert [[sent._.salience for sent in doc.sents] if len(doc) else [] for doc in docs] == [
        [3.0, 2.0, 5.0],
        [],
        [0.0],
        [2.0, 0.0],
    ], "white space that counts as a sentence has the salience 0"
    assert [doc._.salience_profile is None for doc in docs] == [False, True, True, False]


def test_without_sentences_it_says_what_to_add():
    nlp = spacy.blank("en")
    nlp.add_pipe("event_salience", config={"method": "length"})
    assert nlp.analyze_pipes()["problems"]["event_salience"] == ["doc.sents"]
    with pytest.raises(NarrativeError, match="sentencizer"):
        nlp("A wolf came.")
    skipped = []
    nlp.set_error_handler(lambda name, component, docs, error: skipped.append((name, len(docs))))
    assert list(nlp.pipe(["A wolf came."])) == []
    assert skipped == [("event_salience", 1)]


def test_documents_can_be_saved_and_scored_again():
    nlp = pipeline(method="length")
    doc = nlp(TEXTS[0])
    copies = [
        Doc(nlp.vocab).from_bytes(doc.to_bytes()),
        pickle.loads(pickle.dumps(doc)),
        *DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab),
    ]
    for copy in copies:
        assert copy._.salience_profile == doc._.salience_profile
        assert [sent._.salience for sent in copy.sents] == [3.0, 2.0, 5.0]
    again = pipeline(method="position").get_pipe("event_salience")(doc)
    assert again._.salience_profile.method == "position"


def test_pipelines_can_be_saved(tmp_path):
    nlp = pipeline(method="length+position", window=128, seed=7)
    settings = nlp.get_pipe("event_salience").settings
    assert settings == SalienceSettings(method="length+position", window=128, seed=7)
    nlp.to_disk(tmp_path / "nlp")
    for copy in (spacy.load(tmp_path / "nlp"), pickle.loads(pickle.dumps(nlp))):
        assert copy.get_pipe("event_salience").settings == settings
        assert copy(TEXTS[0])._.salience_profile == nlp(TEXTS[0])._.salience_profile


def test_a_wrong_configuration_is_refused_immediately():
    with pytest.raises(UnknownNameError, match="Did you mean 'sd'"):
        pipeline(method="sdd")
    for wrong in ({"method": 3}, {"window": "wide"}, {"nonsense": 1}):
        with pytest.raises(ValueError, match="event_salience"):
            pipeline(**wrong)
