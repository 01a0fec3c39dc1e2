"""WebAnno TSV, read by the rules of INCEpTION's reader."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given

from barthes.narrative import Narrative
from barthes.report.exports import to_webanno
from tests.report.exports.stories import EVENTS, PROFILE, STORY, profiles


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
            start, _, known = self.annotations.get(mine or word, (span[0], 0, (int(rank), float(figure))))
            assert known == (int(rank), float(figure))
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


def test_offsets_count_utf16_units_as_in_the_format_description():
    story = Narrative.from_sentences(["I like it 😊 ."])
    rows = to_webanno(replace(PROFILE, narrative=story, scores=(0.5,))).splitlines()[4:]
    assert rows == [
        "#Text=I like it 😊 .",
        "1-1\t0-1\tI\t1[1]\t0.5[1]\t",
        "1-2\t2-6\tlike\t1[1]\t0.5[1]\t",
        "1-3\t7-9\tit\t1[1]\t0.5[1]\t",
        "1-4\t10-12\t😊\t1[1]\t0.5[1]\t",
        "1-5\t13-14\t.\t1[1]\t0.5[1]\t",
    ]


def test_a_sentence_on_two_lines_has_two_lines_of_text():
    lines = to_webanno(PROFILE).split("\n")
    assert '#Text="Stop!" cried the girl <b>& ran\\r' in lines
    assert "#Text=off</b>." in lines
    assert "#Text=The 🐺 came—and\\\\went, didn't it?" in lines


def test_events_are_on_their_words_and_stack():
    lines = to_webanno(EVENTS).split("\n")
    rows = [line.split("\t")[2:5] for line in lines if re.match(r"\d+-\d+\t", line)]
    assert ["cried", "2", "0.5"] in rows
    assert ["came", "1[3]|3[4]", "0.75[3]|0.25[4]"] in rows
    assert ["did", "4", "0.0"] in rows, "a word is cut where an event is a part of it"
    assert ["n't", "_", "_"] in rows


def test_only_the_top_is_annotated():
    ranks = {known[0] for *_, known in Reader(to_webanno(PROFILE, top=2)).annotations.values()}
    assert ranks == {1, 2}
    assert len(Reader(to_webanno(PROFILE)).sentences) == len(STORY) + 2, "the byte-order mark and the plate"
