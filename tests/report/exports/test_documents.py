from __future__ import annotations

import io
import zipfile

from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.report.exports.catma import write_source
from barthes.report.exports.documents import DOCUMENTS, Bundle
from tests.report.profiles import PROFILE, STORY


@settings(max_examples=25)
@given(st.lists(st.text(), min_size=1, max_size=5))
def test_names_are_safe_no_document_is_lost_and_bytes_are_the_same(titles):
    bundles = [Bundle(), Bundle()]
    for bundle in bundles:
        for number, title in enumerate(titles):
            bundle.add(title, {"xml": f"{number}", "txt": "é"})
    assert bundles[0].to_bytes() == bundles[1].to_bytes()
    with zipfile.ZipFile(io.BytesIO(bundles[0].to_bytes())) as archive:
        assert archive.testzip() is None
        found = {name: archive.read(name).decode("utf-8") for name in archive.namelist()}
    assert [found[name] for name in bundles[0].names[::2]] == list(map(str, range(len(titles))))
    assert len({name.lower() for name in found}) == 2 * len(titles), "apart on every file system"
    assert all("/" not in name and "\\" not in name and not name.startswith(".") for name in found)


def test_every_format_has_its_files():
    files = {name: set(known.write_all(PROFILE, top=2)) for name, known in DOCUMENTS.items()}
    assert files == {
        "tei": {"xml"},
        "tei-standoff": {"xml"},
        "catma": {"xml", "txt"},
        "webanno": {"tsv"},
        "web-annotation": {"jsonld", "txt"},
        "booknlp": {"tokens"},
    }
    assert DOCUMENTS["catma"].write_all(PROFILE, top=None)["txt"] == write_source(STORY)
    assert DOCUMENTS["web-annotation"].write_all(PROFILE, top=None)["txt"] == STORY.text
