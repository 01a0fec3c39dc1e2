"""Cut stories: targets, protected passages, the cache, and what is refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import barthes
from barthes.cache import ScoreCache
from barthes.cutting.checks import list_checks
from barthes.cutting.cut import cut_narrative, find_target
from barthes.cutting.shortened import Cut
from barthes.errors import BarthesError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.report.cuts import describe_cuts
from barthes.report.page import render_shortened
from barthes.salience.preview import Preview
from tests.tiny_models import tiny_model

SENTENCES = [
    "A wolf came over the hill.",
    "It was a day like any other day.",
    "The wolf ate a sheep.",
    "Rain fell.",
    "The wolf slept under the hill.",
    "The end came.",
]
TEXT = " ".join(SENTENCES)
MODEL = CountingModel([TEXT])


def cut(story=TEXT, **options):
    return barthes.cut(story, model=MODEL, **options)


def test_the_result_is_not_longer_than_asked_for():
    whole = cut(to=0.99).words_before
    for to in (0.3, 0.5, 0.8):
        found = cut(to=to)
        assert found.words <= to * whole
        assert found.text.endswith("The end came.")
        assert found.words == sum(len(each.split()) for each in found.text.split(". "))
        gone = {each.sentence.index for each in found.cuts}
        assert found.text == " ".join(str(each) for each in found.narrative if each.index not in gone)
        assert found.cost == pytest.approx(sum(each.cost for each in found.cuts))
    assert cut(words=12).words <= 12


def test_the_result_is_plain_json_and_the_same_each_time():
    plain = cut(to=0.5).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain == cut(to=0.5).to_dict()
    [first, *_] = plain["cuts"]
    assert first["text"] == TEXT[first["start"] : first["end"]]


def test_marks_and_numbers_protect_sentences():
    free = {each.sentence.index for each in cut(to=0.4).cuts}
    assert free
    protected = min(free)
    assert protected not in {each.sentence.index for each in cut(to=0.4, keep=[protected]).cuts}
    marked = [f"[[keep]]{each}[[/keep]]" if k == protected else each for k, each in enumerate(SENTENCES)]
    found = cut(" ".join(marked), to=0.4)
    assert found.protected == (protected,)
    assert found.text == cut(to=0.4, keep=[protected]).text
    assert "[[" not in found.narrative.text


def test_a_second_cut_takes_its_costs_from_the_cache(tmp_path, monkeypatch):
    story = Narrative.from_sentences(SENTENCES)
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        first = cut_narrative(story, MODEL, 10, cache=cache)
        monkeypatch.setattr(Preview, "resume", None)
        assert cut_narrative(story, MODEL, 10, cache=cache) == first
        assert cut_narrative(story, MODEL, 9, cache=cache).words <= 9


def test_a_sentence_goes_only_with_those_that_refer_to_it():
    story = ["A man called Tom came.", "It rained.", "It snowed hard.", "We saw Tom.", "The end came."]
    found = cut(" ".join(story), words=13)
    gone = {each.sentence.index for each in found.cuts}
    assert gone
    assert 0 not in gone or 3 in gone
    assert found.units[0].referred[-1] == 3


def test_a_kept_sentence_that_may_refer_to_a_cut_is_noted():
    story = Narrative.from_sentences(["A crowd came.", "They shouted at the mill.", "The end came."])
    units = [Cut(sentence, 3, 0.0, None, (), (), None) for sentence in story]
    units[0] = replace(units[0], referred=(1,), order=1)
    assert any("sentence 2," in note for note in list_checks(story, units, 6))
    units[1] = replace(units[1], order=2)
    assert not any("sentence 2," in note for note in list_checks(story, units, 3))


def test_progress_never_goes_back():
    seen = []
    cut(to=0.4, progress=lambda done, total: seen.append(done / total))
    assert seen == sorted(seen)
    assert seen[-1] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": 1.2}, "120 % of the words"),
        ({"to": 0.0}, "0 % of the words"),
        ({"words": 5000}, "has 30 words and cannot be cut to 5,000"),
        ({"words": 0}, "cannot be cut to 0"),
        ({"to": 0.5, "keep": range(6)}, "the sentences to keep, the last one among them, have 30 words"),
        ({"to": 0.05}, "the last one among them, have 3 words"),
        ({"to": 0.5, "keep": [6]}, "there is no sentence 7 to keep; the story has 6"),
        ({"to": 0.5, "story": "It rained. A wolf came."}, "a story of 2 sentences is too short to cut"),
        ({"to": 0.5, "story": "It rained all day long."}, "a story of 1 sentence is too short to cut"),
        ({"to": 0.5, "story": "[[keep]] It rained. A wolf came. It ate."}, "has no counterpart"),
    ],
)
def test_what_cannot_be_cut_is_refused(options, message):
    with pytest.raises(BarthesError, match=message):
        cut(**options)


@pytest.mark.parametrize("options", [{}, {"to": 0.5, "words": 10}])
def test_there_is_one_target(options):
    with pytest.raises(TypeError, match="either to"):
        cut(**options)


def test_the_target_is_rounded_down():
    assert find_target(Narrative.from_sentences(["a b c d", "e f g"]), to=0.5) == 3


def test_a_long_story_is_cut_in_windows():
    sentences = [f"The wolf {'ran ' * (k % 4)}and {'slept' if k % 3 else 'ate a sheep'} ." for k in range(40)]
    story = Narrative.from_sentences(sentences)
    found = cut_narrative(story, tiny_model(), find_target(story, to=0.8), window=40)
    assert found.window == 40
    assert found.words <= 0.8 * found.words_before
    assert all(math.isfinite(each.cost) for each in found.cuts)
    assert any("window of 40 tokens" in note for note in found.notes)


def test_paragraphs_are_cut_whole():
    text = "A wolf came. It was grey.\n\nIt rained. It rained.\n\nThe wolf ate. It slept."
    short = barthes.cut(text, words=12, unit="paragraph", model=CountingModel([text]))
    assert [each.sentence.text for each in short.cuts] in (
        ["It rained. It rained."],
        ["A wolf came. It was grey."],
    )
    assert "The wolf ate. It slept." in short.text
    assert short.to_dict()["unit"] == "paragraph"
    assert "1 of 3 paragraphs cut" in describe_cuts(short)
    page = render_shortened(short)
    assert "The last paragraph is never cut" in page
    with pytest.raises(BarthesError, match="there is no paragraph 9 to keep; the story has 3"):
        barthes.cut(text, words=12, keep=[8], unit="paragraph", model=CountingModel([text]))


def test_a_target_that_whole_scenes_miss_is_named():
    """Scenes of 6, 12, 8 and 4 words."""
    scenes = [
        "A wolf came. A wolf came.",
        "It rained hard again. " * 3,
        "The wolf ate sheep. " * 2,
        "It slept. " * 2,
    ]
    text = "\n\n***\n\n".join(scene.strip() for scene in scenes)
    for words in (24, 22, 21, 18, 16, 12):
        found = barthes.cut(text, words=words, unit="scene", model=CountingModel([text]))
        assert words - 12 < found.words <= words, "the longest scene has 12 words"
        assert any("shorter than asked for" in note for note in found.notes) is (found.words < words)


def test_what_an_editor_has_to_check_is_noted():
    """The target leaves nothing to cut but the ending."""
    sentences = [*(f"The wolf ran {'and ran ' * k}." for k in range(12)), "It died.", "The end."]
    story = Narrative.from_sentences(sentences)
    model = CountingModel([story.text])
    found = cut_narrative(story, model, find_target(story, to=0.99), protected=range(12))
    assert any(note.startswith("Check sentence 13, cut although in the ending") for note in found.notes)
    assert any(note.startswith("Cut by cost alone") for note in found.notes), "the model is not English"
    found = cut_narrative(story, model, find_target(story, to=0.99), protected=[12])
    assert not any("ending" in note for note in found.notes)


def test_headings_of_chapters_stay(tmp_path):
    body = "A wolf came. It rained. The wolf ate. It rained again."
    text = f"Chapter 1. The Well\n\n{body}\n\nChapter 2. The Door\n\n{body} The wolf slept."
    (tmp_path / "tale.txt").write_text(text)
    story = barthes.read(tmp_path / "tale.txt")
    assert [str(sentence) for sentence in story][:2] == ["A wolf came.", "It rained."]
    short = barthes.cut(story, words=20, model=CountingModel([text]))
    assert short.cuts
    assert "Chapter 1. The Well\n\n" in short.text
    assert "\n\nChapter 2. The Door\n\n" in short.text
