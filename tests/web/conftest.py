"""Servers for tests: a cache of their own, a tiny language model on disk, an application in this process."""

from __future__ import annotations

import pytest

from tests.web.running import InProcessServer, save_tiny_model


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BARTHES_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    return save_tiny_model(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def server(tmp_path_factory, tiny_folder, own_cache):
    running = InProcessServer(tmp_path_factory.mktemp("results"), models=[str(tiny_folder)])
    yield running
    running.close()
