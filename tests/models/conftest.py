from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from barthes.models.embedded import EMBEDDED, EmbeddedModel
from tests.tiny_gguf import describe, write_gguf, write_wheel


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model as a GGUF file."""
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="session")
def tiny_wheel(tiny_gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The GGUF file in a wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    return write_wheel(folder / "tiny_model-1.0-py3-none-any.whl", tiny_gguf.read_bytes())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for models, instead of the user's."""
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "models"


@pytest.fixture
def tiny(tiny_gguf: Path, tiny_wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> EmbeddedModel:
    """The tiny model, registered as an embedded model."""
    monkeypatch.setitem(EMBEDDED, "tiny", describe(tiny_gguf, tiny_wheel))
    return EMBEDDED["tiny"]


@pytest.fixture
def full_disk() -> Callable[[int], AbstractContextManager[None]]:
    """Limit the size of files (bytes) in this process and its children."""
    import resource

    @contextmanager
    def limit(size: int) -> Iterator[None]:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limit
