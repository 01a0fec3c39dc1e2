"""The names of the corpora cost nothing; their readers come when they are asked for."""

import subprocess
import sys

import pytest

from barthes import corpora


def test_public_names():
    assert sorted(corpora.__all__) == sorted(corpora._HOMES) == sorted(dir(corpora))
    for name in corpora.__all__:
        assert getattr(corpora, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Corpse'"):
        _ = corpora.Corpse


def test_the_names_alone_load_no_reader():
    script = "import sys; from barthes.corpora.opening import CORPUS_NAMES; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("barthes.corpora.")}
    assert loaded == {"barthes.corpora.opening"}
