"""Formats are found by entry points; stories are written to streams, files and zips of documents."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.errors import OutputError
from barthes.formats import FileFormat, write_each
from barthes.plugins import FORMATS, register, unregister
from barthes.report.output import check_output, choose_writer, find_writers, write_profiles
from tests.report.profiles import PROFILE, by_hand


@pytest.fixture
def ranks():
    """A format of another package."""

    def render(profile, top=None):
        return " ".join(str(unit.rank) for unit in profile.top(top)) + "\n"

    write, options = write_each(render), frozenset({"top"})
    register(
        FORMATS,
        "ranks",
        FileFormat(name="ranks", purpose="", suffixes=(".ranks",), write=write, options=options),
    )
    yield
    unregister(FORMATS, "ranks")


def test_a_format_of_another_package_is_written(ranks, tmp_path):
    out = tmp_path / "tale.ranks"
    writer = choose_writer(None, out)
    check_output(writer, out, top=2, order=None)
    write_profiles([PROFILE, PROFILE], writer, out, top=2, order=None)
    assert out.read_text() == "1 2\n1 2\n"
    with pytest.raises(OutputError, match="no option order"):
        check_output(writer, out, order="rank")


@pytest.mark.parametrize(
    ("name", "path", "options", "message"),
    [
        ("tfs", None, {}, "unknown format 'tfs'"),
        (None, "a.doc", {}, "unknown file extension .doc"),
        ("parquet", None, {}, "needs a file"),
        ("json", "a.zip", {}, "needs no zip"),
        ("tei", "a.xml", {"several": True}, "one story per file"),
        ("tsv", None, {"influence": True}, "json or jsonl"),
        ("catma", None, {"order": "rank"}, "no option order"),
    ],
)
def test_what_a_format_cannot_do_is_refused(tmp_path, name, path, options, message):
    out = path and tmp_path / path
    with pytest.raises(OutputError, match=message):
        check_output(choose_writer(name, out), out, **options)


def test_suffixes_stand_for_formats_and_text_is_a_table(tmp_path):
    found = {
        suffix: choose_writer(None, tmp_path / f"a{suffix}").name for suffix in (".TSV", ".xml", ".txt", "")
    }
    assert found == {".TSV": "tsv", ".xml": "tei", ".txt": "table", "": "table"}
    assert choose_writer("csv", tmp_path / "a.tsv").name == "csv"
    taken = [suffix for writer in find_writers().values() for suffix in writer.suffixes]
    assert len(taken) == len(set(taken))


def test_stories_are_written_as_they_come():
    out, seen = io.StringIO(), []

    def stories():
        for _ in range(3):
            yield PROFILE
            seen.append(out.getvalue().count("\n"))

    write_profiles(stories(), choose_writer("jsonl", None), out)
    assert seen == [1, 2, 3]


@pytest.mark.parametrize("name", sorted(find_writers()))
def test_without_stories_nothing_is_written(name, tmp_path):
    writer = choose_writer(name, None)
    for out in (tmp_path / "a", tmp_path / "a.zip"):
        write_profiles([], writer, out)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=25)
@given(st.lists(st.text(), min_size=1, max_size=5))
def test_names_in_zips_are_safe_no_document_is_lost_and_bytes_are_the_same(tmp_path_factory, titles):
    profiles = [by_hand([f"Wolf {k}."], [0.5], title=title) for k, title in enumerate(titles)]
    paths = [tmp_path_factory.mktemp("zips") / "a.zip" for _ in range(2)]
    for path in paths:
        write_profiles(profiles, choose_writer("web-annotation", path), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with zipfile.ZipFile(paths[0]) as archive:
        assert archive.testzip() is None
        found = {name: archive.read(name).decode("utf-8") for name in archive.namelist()}
    assert [found[name] for name in found if name.endswith(".txt")] == [
        each.narrative.text for each in profiles
    ]
    assert len({name.lower() for name in found}) == 2 * len(titles), "apart on every file system"
    assert all("/" not in name and "\\" not in name and not name.startswith(".") for name in found)
