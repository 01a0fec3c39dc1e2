"""The documentation site builds without warnings, works offline and leaves out no page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.gather_pages import gather

ROOT = Path(__file__).parent.parent


def find_pages(navigation: Any) -> Iterator[str]:
    if isinstance(navigation, str):
        yield navigation
    else:
        for entry in navigation.values() if isinstance(navigation, dict) else navigation:
            yield from find_pages(entry)


def test_every_page_is_in_the_navigation_once():
    navigation = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]
    pages += [f"research/{path.name}" for path in ROOT.glob("research/docs/*.md")]
    pages += [f"research/results/{path.name}" for path in ROOT.glob("research/results/*.md")]
    assert sorted(find_pages(navigation)) == sorted(pages)


def test_every_picture_is_shown_somewhere():
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert f"pictures/{picture.name}" in text, picture.name


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    gather(folder / "build" / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    command = [shutil.which("zensical", path=str(Path(sys.executable).parent)), "build", "--strict"]
    built = subprocess.run(
        command, cwd=folder, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


@pytest.mark.slow
def test_the_site_loads_nothing_from_other_hosts(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|img|link)[^>]*(?:src|href)="(?:https?:)?//', text), page.name
    assert (site / "search.js").exists()
