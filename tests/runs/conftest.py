from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """No test sees what another has cached, or what people have."""
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "barthes-cache"))
