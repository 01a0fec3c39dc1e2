from __future__ import annotations

import io
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from barthes.report.exports.bundle import Bundle


def members(bundle):
    with zipfile.ZipFile(io.BytesIO(bundle.to_bytes())) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode("utf-8") for name in archive.namelist()}


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_names_are_safe_and_no_document_is_lost(titles):
    bundle = Bundle()
    for number, title in enumerate(titles):
        bundle.add(title, {"xml": f"{number}", "txt": "é"})
    found = members(bundle)
    assert [found[name] for name in bundle.names if name.endswith(".xml")] == list(
        map(str, range(len(titles)))
    )
    assert len({name.lower() for name in found}) == 2 * len(titles), "apart on every file system"
    assert all("/" not in name and "\\" not in name and not name.startswith(".") for name in found)


def test_the_same_documents_give_the_same_bytes():
    zips = []
    for _ in range(2):
        bundle = Bundle()
        bundle.add("a", {"xml": "<TEI/>"})
        zips.append(bundle.to_bytes())
    assert zips[0] == zips[1]
