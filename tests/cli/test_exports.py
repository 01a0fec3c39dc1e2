"""The formats of other tools, from the command line."""

from __future__ import annotations

import io
import re
import zipfile

import pandas as pd
import pytest
import typer
from lxml import etree

from barthes.cli.output import Output
from barthes.errors import OutputError
from tests.cli.test_score import CINDERELLA, TALE, run
from tests.report.exports import tei_rules
from tests.report.exports.test_catma import load as load_catma
from tests.report.profiles import PROFILE

TEXT = TALE.read_text(encoding="utf-8")


def test_tei_goes_by_the_ending(tmp_path):
    out = tmp_path / "tale.xml"
    assert run("score", TALE, "--method", "tfidf", "--out", out) == (0, "", "")
    root = etree.parse(out).getroot()
    tei_rules.check(root)
    assert "".join(root.find(f".//{tei_rules.TEI}body").itertext()) == TEXT


def test_one_story_goes_to_standard_output():
    code, out, err = run("score", TALE, "--method", "length", "--format", "tei-standoff", "--top", "3")
    assert (code, err) == (0, "")
    root = etree.fromstring(out.encode())
    tei_rules.check(root)
    assert len(root.findall(f".//{tei_rules.TEI}span")) == 3


def test_several_stories_make_a_zip_with_the_text_beside_stand_off_annotations(tmp_path):
    out = tmp_path / "both.zip"
    arguments = ("score", TALE, CINDERELLA, "--method", "length", "--format", "catma")
    assert run(*arguments, "--out", out) == (0, "", "")
    with zipfile.ZipFile(out) as archive:
        names = archive.namelist()
        assert names == [
            f"{stem}.{ending}" for stem in (TALE.stem, CINDERELLA.stem) for ending in ("xml", "txt")
        ]
        assert archive.read(names[1]).decode("utf-8") == TEXT
        _, annotations = load_catma(archive.read(names[0]).decode("utf-8"))
    assert TEXT[slice(*annotations[0][2][0])] == TEXT[: annotations[0][2][0][1]].strip()


def test_tokens_and_parquet(tmp_path):
    tokens, table = tmp_path / "tale.tokens", tmp_path / "tale.parquet"
    assert run("score", CINDERELLA, "--sentences", "--method", "length", "--out", tokens) == (0, "", "")
    assert tokens.read_text(encoding="utf-8").startswith("paragraph_ID\tsentence_ID\t")
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    assert run("score", TALE, CINDERELLA, "--method", "length", "--out", table) == (0, "", "")
    assert pd.read_parquet(io.BytesIO(table.read_bytes()))["story"].nunique() == 2


@pytest.mark.parametrize(
    ("chosen", "out", "order", "remedy"),
    [
        ("parquet", None, None, "--out FILE.parquet"),
        ("tei", None, "rank", "leave out --order rank"),
        ("json", "x.zip", None, "tei, tei-standoff, catma, webanno, booknlp"),
        (None, "x.zip", None, "add --format"),
        (None, "x.doc", None, ".xml"),
    ],
)
def test_what_does_not_go_together_is_said_before_the_work(tmp_path, chosen, out, order, remedy):
    path = None if out is None else tmp_path / out
    with pytest.raises((typer.BadParameter, OutputError), match=re.escape(remedy)):
        Output(chosen, path, order=order, top=None, influence=False)


def test_several_stories_need_a_zip(tmp_path):
    output = Output("catma", None, order=None, top=None, influence=False)
    with pytest.raises(typer.BadParameter, match=r"FILE\.zip"):
        output.expect_several(True)
    output = Output("tei", tmp_path / "one.xml", order=None, top=None, influence=False)
    output.add(PROFILE)
    with pytest.raises(OutputError, match=r"FILE\.zip"):  # chapters of one file, found out late
        output.add(PROFILE)


def test_notes_go_to_stderr_where_a_format_has_no_room_for_them(tmp_path, capsys):
    for chosen, said in (("webanno", True), ("tei", False)):
        output = Output(chosen, tmp_path / chosen, order=None, top=None, influence=False)
        output.add(PROFILE)
        output.close()
        assert ("Windows-1252" in capsys.readouterr().err) is said
