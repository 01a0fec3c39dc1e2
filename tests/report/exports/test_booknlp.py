"""BookNLP's table of tokens, read as people read BookNLP's: with pandas, and no quoting."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pandas as pd
import pytest

from barthes.annotation.pipeline import load_english
from barthes.narrative import Narrative
from barthes.report.exports import to_booknlp
from barthes.report.exports.booknlp import COLUMNS
from tests.report.profiles import EVENTS, PROFILE, STORY


def read(table):
    return pd.read_csv(io.StringIO(table), sep="\t", quoting=csv.QUOTE_NONE, keep_default_na=False)


@pytest.fixture(scope="module")
def frame():
    return read(to_booknlp(PROFILE))


def test_offsets_lead_back_to_the_text(frame):
    assert tuple(frame.columns) == (*COLUMNS, "sentence_salience", "sentence_rank")
    for row in frame.itertuples():
        assert STORY.text[row.byte_onset : row.byte_offset] == row.word
    spoken = "".join(frame["word"])
    assert spoken == "".join("".join(sentence.text.split()) for sentence in STORY)


@pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in BookNLP
def test_it_joins_with_the_table_that_booknlp_writes(library, frame):
    """By offsets; BookNLP's tokens are those of its own code with the same spaCy pipeline."""
    pipelines = library("booknlp.common.pipelines")
    tokens = pipelines.SpacyPipeline(load_english()).tag(STORY.text)
    theirs = read("\n".join(["\t".join(COLUMNS), *map(str, tokens)]))
    joined = frame.merge(theirs, on="byte_onset", suffixes=("", "_theirs"))
    assert len(joined) == len(frame)
    for name in ("word", "byte_offset"):
        assert joined[name].tolist() == joined[f"{name}_theirs"].tolist()


def test_numbers_count_from_zero_and_heads_stay_in_their_sentence(frame):
    assert frame["token_ID_within_document"].tolist() == list(range(len(frame)))
    assert frame["sentence_ID"].unique().tolist() == [0, 1, 2, 3, 4]
    assert frame.groupby("sentence_ID")["token_ID_within_sentence"].min().eq(0).all()
    assert frame.groupby("sentence_ID")["paragraph_ID"].first().tolist() == [0, 1, 1, 2, 2]
    heads = frame.set_index("token_ID_within_document")["sentence_ID"]
    assert (heads.loc[frame["syntactic_head_ID"]].to_numpy() == frame["sentence_ID"].to_numpy()).all()


def test_every_token_has_the_salience_of_its_sentence_and_verbs_are_events(frame):
    for row in frame.itertuples():
        assert row.sentence_salience == PROFILE.scores[row.sentence_ID]
        assert row.sentence_rank == str(PROFILE.ranks[row.sentence_ID] or "")
    events = frame[frame["event"] == "EVENT"]
    assert {"cried", "came"} <= set(events["word"])
    assert set(frame["event"]) == {"EVENT", "O"}
    assert frame.loc[frame["word"] == "cried", "lemma"].tolist() == ["cry"]


def test_events_have_their_own_figures_on_their_predicate():
    frame = read(to_booknlp(EVENTS, top=2))
    scored = frame[frame["event_salience"] != ""]
    assert dict(zip(scored["word"], scored["event_rank"], strict=True)) == {"cried": "2", "came": "1"}
    assert frame.loc[frame["event"] == "EVENT", "word"].tolist() == ["cried", "ran", "came", "did"]


def test_other_languages_have_tokens_and_no_parse():
    story = Narrative.from_sentences(["Le loup vint.", "Il pleuvait."], language="fr")
    frame = read(to_booknlp(replace(PROFILE, narrative=story, scores=(0.5, 0.25))))
    assert frame["word"].tolist() == ["Le", "loup", "vint", ".", "Il", "pleuvait", "."]
    assert set(frame["event"]) == set(frame["syntactic_head_ID"]) == {""}
    assert frame["sentence_rank"].tolist() == ["1"] * 4 + [""] * 3
