import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.corpora.json_objects import parse_json, parse_json_lines
from barthes.corpora.problems import MalformedError


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1,\n "b" 2}', "line 2, column 6"),
        ("", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5_000, "not JSON that can be read"),
    ],
)
def test_what_is_no_json(text, reason):
    with pytest.raises(MalformedError, match=reason):
        parse_json(text)


def test_a_key_that_comes_twice_is_remembered_at_every_level():
    content = parse_json('{"a": {"b": 1, "b": 2}, "c": 3}')
    assert content.repeated == ()
    assert content["a"].repeated == ("b",)


def test_lines():
    lines = list(parse_json_lines('{"a": 1}\r\n\n{"a": }\n["\u2028"]\n{"a": 1, "a": 2}'))
    assert [line.number for line in lines] == [1, 3, 4, 5]
    assert lines[0].as_object() == {"a": 1}
    assert lines[2].value == ["\u2028"]
    reasons = []
    for line in lines[1:]:
        with pytest.raises(MalformedError) as caught:
            line.as_object()
        reasons.append(str(caught.value))
    assert reasons == [
        "it is not JSON: Expecting value at column 7",
        "it is not a JSON object",
        "it gives the key 'a' twice",
    ]


@given(st.text(max_size=80))
def test_any_text_is_read_or_reported(text):
    for line in parse_json_lines(text):
        assert line.number >= 1
