"""JSON Lines, and tables of sentences, in which quotation marks may be text."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import ReadingError
from barthes.reading.rows import MalformedError, has_columns, parse_json, parse_json_lines, parse_table

COLUMNS = ("story", "sentence", "label")
HEADER = "story\tsentence\tlabel"
DIALOGUE = ['"Stop!" she cried.', '"Come home,', 'and rest."', '"Why?"', 'He said "no".', "It rained."]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1,\n "b" 2}', "line 2, column 6"),
        ("", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5_000, "not JSON that can be read"),
    ],
)
def test_json_that_is_refused(text, reason):
    with pytest.raises(MalformedError, match=reason):
        parse_json(text)


def test_a_key_that_comes_twice_is_remembered_at_every_level():
    content = parse_json('{"a": {"b": 1, "b": 2}, "c": 3}')
    assert content.repeated == ()
    assert content["a"].repeated == ("b",)


def test_json_lines():
    rows = list(parse_json_lines('{"a": 1}\r\n\n{"a": }\n["\u2028"]\n{"a": 1, "a": 2}'))
    assert [(row.line, row.cells, row.malformed) for row in rows] == [
        (1, {"a": 1}, ""),
        (3, {}, "it is not JSON: Expecting value at column 7"),
        (4, {}, "it is not a JSON object"),
        (5, {"a": 2}, "it gives the key 'a' twice"),
    ]
    assert rows[0].check() == {"a": 1}
    with pytest.raises(MalformedError, match="it gives the key 'a' twice"):
        rows[3].check()


def parse(text):
    return parse_table(text, COLUMNS, where="mine.tsv", remedy="Give a table.")


def sentences(text):
    return [row.cells["sentence"] for row in parse(text)]


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_columns_in_any_order_and_case_beside_others(delimiter):
    text = "Label,NOTE,story, Sentence\n1,x,wolf,It came.\n\n,,,\n0,y,wolf,It left.\n".replace(",", delimiter)
    assert has_columns(text, COLUMNS)
    assert [(row.line, row.cells["label"], row.cells["sentence"]) for row in parse(text)] == [
        (2, "1", "It came."),
        (5, "0", "It left."),
    ]


@pytest.mark.parametrize("chosen", [DIALOGUE, DIALOGUE[1:3], DIALOGUE[3:4]])
def test_with_tabs_quotation_marks_are_text(chosen):
    assert sentences("\n".join([HEADER, *(f"fox\t{sentence}\t0" for sentence in chosen)])) == chosen


def test_quotes_around_the_header_alone():
    assert sentences('"story"\t"sentence"\t"label"\na\t"Stop!" she cried.\t1\n') == ['"Stop!" she cried.']


def write(written, **options):
    target = io.StringIO(newline="")
    csv.writer(target, **options).writerows([COLUMNS, *(("s", text, "1") for text in written)])
    return target.getvalue()


texts = st.text(st.sampled_from("\"aB ,.;'\né"), max_size=12).filter(str.strip)
STYLES = [
    {"delimiter": ",", "lineterminator": "\n"},
    {"delimiter": ";", "lineterminator": "\r\n"},
    {"delimiter": "\t", "quoting": csv.QUOTE_MINIMAL},
    {"delimiter": "\t", "quoting": csv.QUOTE_ALL},
]


@given(st.lists(texts, min_size=1), st.sampled_from(STYLES))
def test_what_a_spreadsheet_writes(written, options):
    assert sentences(write(written, **options)) == written


@given(st.lists(texts.filter(lambda text: "\n" not in text and '""' not in text), min_size=1))
def test_what_a_person_writes_with_tabs(written):
    assert sentences("\n".join([HEADER, *(f"s\t{text}\t1" for text in written)])) == written


def test_a_row_of_another_length_is_malformed():
    [short, long] = parse("story,sentence,label\nwolf,It came.\nwolf,It came, then left,1\n")
    assert short.malformed == "it has 2 cells under a header of 3"
    assert (long.line, long.malformed) == (3, "it has 4 cells under a header of 3")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "its first line is not a header with the columns story, sentence, label"),
        ("wolf\tIt came.\t1\n", "not a header"),
        ("story\tsentence\n", "not a header"),
        ("story,sentence,label,label\na,b,1,0\n", "names the column label twice"),
        ('story,sentence,label\na,"Stop!" she cried.,1\n', "is not a table: .* in the row of line 2"),
        ('story,sentence,label\na,ok,1\nb,"Stop!,1\n', "is not a table: .* in the row of line 3"),
    ],
)
def test_tables_that_are_refused(text, reason):
    with pytest.raises(ReadingError, match=rf"mine\.tsv: .*{reason}"):
        parse(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    assert all(row.line >= 1 for row in parse_json_lines(text))
    for candidate in (text, f"{HEADER}\n{text}", f"story,sentence,label\n{text}"):
        try:
            rows = parse(candidate)
        except ReadingError:
            continue
        assert all(row.malformed or {*COLUMNS} <= {*row.cells} for row in rows)
