"""Tables of sentences, in which quotation marks are more than punctuation of a file format."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.corpora.tables import has_columns, parse_table
from barthes.errors import ReadingError

COLUMNS = ("story", "sentence", "label")


def parse(text):
    return parse_table(text, COLUMNS, where="mine.tsv", remedy="Give a table.")


def sentences(text):
    return [row.cells["sentence"] for row in parse(text)]


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_columns_in_any_order_and_case_beside_others(delimiter):
    text = "Label,NOTE,story, Sentence\n1,x,wolf,It came.\n\n,,,\n0,y,wolf,It left.\n".replace(",", delimiter)
    assert has_columns(text, COLUMNS)
    rows = parse(text)
    assert [(row.line, row.cells["label"], row.cells["sentence"]) for row in rows] == [
        (2, "1", "It came."),
        (5, "0", "It left."),
    ]


DIALOGUE = ['"Stop!" she cried.', '"Come home,', 'and rest."', '"Why?"', 'He said "no".', "It rained."]


def test_with_tabs_quotation_marks_are_text():
    lines = [f"fox\t{sentence}\t0" for sentence in DIALOGUE]
    assert sentences("\n".join(["story\tsentence\tlabel", *lines])) == DIALOGUE


def test_a_quotation_over_two_rows_swallows_nothing():
    assert sentences('story\tsentence\tlabel\na\t"Come home,\t0\na\tand rest."\t1\n') == DIALOGUE[1:3]


def test_one_quoted_sentence_alone_keeps_its_marks():
    assert sentences('story\tsentence\tlabel\na\t"Why?"\t0\n') == ['"Why?"']


def write(rows, **options):
    target = io.StringIO(newline="")
    csv.writer(target, **options).writerows([COLUMNS, *rows])
    return target.getvalue()


texts = st.text(st.sampled_from(['"', "a", "B", " ", ",", ".", ";", "'", "\n", "é"]), max_size=12).filter(
    str.strip
)


@given(st.lists(texts, min_size=1), st.sampled_from([",", ";"]), st.sampled_from(["\n", "\r\n"]))
def test_what_a_spreadsheet_writes_with_commas(written, delimiter, end):
    rows = [("s", text, "1") for text in written]
    assert sentences(write(rows, delimiter=delimiter, lineterminator=end)) == written


@given(st.lists(texts, min_size=1), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_what_a_spreadsheet_writes_with_tabs(written, quoting):
    rows = [("s", text, "1") for text in written]
    assert sentences(write(rows, delimiter="\t", quoting=quoting)) == written


@given(st.lists(texts.filter(lambda text: "\n" not in text and '""' not in text), min_size=1))
def test_what_a_person_writes_with_tabs(written):
    assert sentences("\n".join(["\t".join(COLUMNS), *(f"s\t{text}\t1" for text in written)])) == written


def test_a_row_of_another_length_is_told_apart():
    [short, long] = parse("story,sentence,label\nwolf,It came.\nwolf,It came, then left,1\n")
    assert short.malformed == "it has 2 cells under a header of 3"
    assert long.malformed == "it has 4 cells under a header of 3"
    assert long.line == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "its first line is no header that names the columns story, sentence, label"),
        ("wolf\tIt came.\t1\n", "no header"),
        ("story\tsentence\n", "no header"),
        ("story,sentence,label,label\na,b,1,0\n", "names the column label twice"),
        ('story,sentence,label\na,"Stop!" she cried.,1\n', "is not a table: .* in the row of line 2"),
        ('story,sentence,label\na,ok,1\nb,"Stop!,1\n', "is not a table: .* in the row of line 3"),
    ],
)
def test_what_is_no_table(text, reason):
    with pytest.raises(ReadingError, match=rf"mine\.tsv: .*{reason}"):
        parse(text)


def test_quotes_around_the_header_alone():
    assert sentences('"story"\t"sentence"\t"label"\na\t"Stop!" she cried.\t1\n') == ['"Stop!" she cried.']


@given(st.text(max_size=60))
def test_any_text_is_a_table_or_a_reading_error(text):
    for candidate in (text, "story\tsentence\tlabel\n" + text, "story,sentence,label\n" + text):
        try:
            rows = parse(candidate)
        except ReadingError:
            continue
        assert all(row.malformed or {*COLUMNS} <= {*row.cells} for row in rows)
