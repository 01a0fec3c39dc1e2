"""WebAnno TSV, read by the rules of INCEpTION's reader."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from barthes.report.exports import to_webanno
from barthes.report.exports.webanno import find_words
from tests.report.profiles import profiles, wolf


def unescape_text(text):
    plain = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
    return re.sub(r"\\(.)", lambda match: plain.get(match[1], match[1]), text, flags=re.DOTALL)


def utf16(text):
    return len(text.encode("utf-16-le")) // 2


class Reader:
    """The states of INCEpTION's Tsv3XDeserializer: what it refuses is refused here."""

    def __init__(self, document):
        lines = re.split(r"\r\n|\n|\r", document)  # as Java's readLine does
        assert lines.pop() == "", "the file ends with its last line"
        assert lines[0] == "#FORMAT=WebAnno TSV 3.3"
        layer, *features = lines[1].removeprefix("#T_SP=").split("|")
        assert (layer, features) == ("webanno.custom.Salience", ["rank", "salience"])
        assert lines[2:4] == ["", ""], "two empty lines after the header"
        self.text = ""  # in UTF-16 units: each character beyond the BMP is two surrogates
        self.annotations = {}
        self.sentences = []
        for number, block in enumerate("\n".join(lines[4:]).split("\n\n"), start=1):
            self.read_sentence(number, block.split("\n"))

    def read_sentence(self, number, lines):
        header = [line for line in lines if line.startswith("#Text=")]
        assert header == lines[: len(header)]
        text = "\n".join(unescape_text(line.removeprefix("#Text=")) for line in header)
        text = re.sub("[\U00010000-\U0010ffff]", "\ud83d\ude00", text)
        rows = [line.split("\t") for line in lines[len(header) :]]
        assert rows
        begin = int(rows[0][1].split("-")[0])
        assert len(self.text) <= begin + 1
        self.text = self.text[:begin].ljust(begin) + text + "\n"
        self.sentences.append((begin, begin + len(text)))
        position = begin
        for place, row in enumerate(rows, start=1):
            assert row[0] == f"{number}-{place}"
            assert len(row) == 6, "five columns and the tab that INCEpTION ends rows with"
            first, last = map(int, row[1].split("-"))
            assert position <= first < last <= begin + len(text)
            assert not self.text[position:first].strip()
            assert utf16(row[2]) == last - first
            position = last
            self.read_values((number, place), (first, last), row[3], row[4])
        assert position == begin + len(text), "words cover the sentence to its end"

    def read_values(self, word, span, ranks, figures):
        if ranks == "_":
            assert figures == "_"
            return
        pairs = zip(re.split(r"(?<!\\)\|", ranks), re.split(r"(?<!\\)\|", figures), strict=True)
        for rank, figure in pairs:
            (rank, mine), (figure, its) = map(self.split_number, (rank, figure))
            assert mine == its
            values = None if rank == "*" else int(rank), float(figure)
            start, _, known = self.annotations.get(mine or word, (span[0], 0, values))
            assert known == values
            self.annotations[mine or word] = (start, span[1], known)

    @staticmethod
    def split_number(value):
        match = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", value)
        return match[1], match[2] and int(match[2])


@given(profiles())
def test_any_story_can_be_imported(profile):
    found = Reader(to_webanno(profile))
    narrative = profile.narrative
    starts = [utf16(narrative.text[:start]) for start, _ in narrative.spans]
    ends = [utf16(narrative.text[:end]) for _, end in narrative.spans]
    expected = sorted(zip(starts, ends, zip(profile.ranks, profile.scores, strict=True), strict=True))
    assert sorted(found.annotations.values()) == expected
    assert set(zip(starts, ends, strict=True)) <= set(found.sentences)
    visible = re.sub(r"\s", "", re.sub("[\U00010000-\U0010ffff]", "\ud83d\ude00", narrative.text))
    assert re.sub(r"\s", "", found.text) == visible, "no word is lost, also where it is in no sentence"


def test_an_independent_library_reads_every_sentence(library, tmp_path):
    """It knows neither escapes nor characters beyond the BMP, and takes the last feature for the label."""
    profile, path = wolf(), tmp_path / "wolf.tsv"
    path.write_text(to_webanno(profile), encoding="utf-8")
    with library("web_anno_tsv").open_web_anno_tsv(str(path)) as file:
        found = [(each.text, float(each.label)) for sentence in file for each in sentence.annotations]
    assert found == list(zip(map(str, profile.narrative), profile.scores, strict=True))


def words(text, **options):
    return [text[start:end] for start, end in find_words(text, 0, len(text), **options)]


@given(st.text(), st.sets(st.integers(0, 20)))
def test_every_character_but_white_space_is_in_one_word(text, cuts):
    spans = list(find_words(text, 0, len(text), cuts=cuts))
    assert "".join(text[start:end] for start, end in spans) == "".join(text.split())
    assert all(not start < cut < end for start, end in spans for cut in cuts)
