"""The base classes of methods."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from barthes.baselines import Length, TfIdf
from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.method import Method, MethodInfo, silent
from barthes.salience.removal_method import SentenceDeletion

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."], notes=["a note"])
MODEL = CountingModel([STORY.text])


class Vowels(Method):
    """A custom method without a description."""

    name = "vowels"

    def score(self, narrative, *, progress=silent):
        scores = [float(sum(letter in "aeiou" for letter in str(sentence))) for sentence in narrative]
        return self.to_profile(narrative, scores, notes=["counted"])


def test_a_custom_method_needs_a_name_and_scores():
    method = Vowels.build(None)
    profile = method.score(STORY)
    assert profile.scores == (3.0, 3.0, 4.0)
    assert (profile.method, profile.notes) == ("vowels", ("a note", "counted"))
    assert profile.info == method.info == MethodInfo("vowels")
    assert (method.model_name, method.identity(STORY), repr(method)) == (None, None, "Vowels('vowels')")
    assert (method + Length()).score(STORY).method == "vowels+length"


def test_a_method_with_a_model_says_so():
    method = SentenceDeletion(MODEL)
    profile = method.score(STORY)
    assert (profile.model, profile.precision, method.model_name) == (MODEL.name, MODEL.precision, MODEL.name)
    assert method.identity(STORY)["method"] == "sd"
    assert (method + TfIdf()).name == "sd+tfidf"


def test_the_name_of_a_model_is_not_a_model():
    with pytest.raises(ModelError, match=r"barthes\.load_model\('gpt2'\)"):
        SentenceDeletion("gpt2")
    with pytest.raises(ModelError, match=r"no encode and no read.*options\.model\(\)"):
        SentenceDeletion(lambda: MODEL)


def test_a_method_travels_to_another_process(tmp_path):
    """Pickled here, unpickled where nothing of ours has been imported."""
    path = tmp_path / "method.pickle"
    path.write_bytes(pickle.dumps((SentenceDeletion(MODEL) + Length(), STORY)))
    script = (
        "import pickle, pathlib, sys; method, story = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes());"
        "print(*method.score(story).scores)"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    expected = (SentenceDeletion(MODEL) + Length()).score(STORY).scores
    assert tuple(map(float, done.stdout.split())) == expected
