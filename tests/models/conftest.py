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
def installed_by_uv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Metadata that say that uv installed Barthes; return the path of uv."""
    uv: str = pytest.importorskip("uv", reason="uv is not installed").find_uv_bin()
    monkeypatch.setenv("UV", uv)
    record = tmp_path / "site-packages" / "barthes-0.1.0.dist-info"
    record.mkdir(parents=True)
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: barthes\nVersion: 0.1.0\n")
    (record / "INSTALLER").write_text("uv\n")
    monkeypatch.syspath_prepend(record.parent)
    return uv


@pytest.fixture
def uv_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Configure uv, by its own file, to use one folder of wheels and no index."""
    index = tmp_path / "uv index"
    index.mkdir()
    settings = tmp_path / "uv.toml"
    settings.write_text(f"no-index = true\nfind-links = [{index.as_posix()!r}]\n")
    monkeypatch.setenv("UV_CONFIG_FILE", str(settings))
    monkeypatch.setenv("PIP_INDEX_URL", "https://127.0.0.1:9/nothing-here")
    return index


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
