"""The reader on a tale that we wrote: every layer, and everything that can be wrong with one.

Run ``python -m research.tests.corpora.test_tale`` to update the expected results of malformed tales.
"""

import json
import re

import pytest

from barthes.errors import ReadingError
from barthes_research.corpora.tale import read_tale
from research.tests.corpora.conftest import DATA

MALFORMED = DATA / "malformed.jsonl"
CASES = [json.loads(line) for line in MALFORMED.read_text(encoding="utf-8").splitlines()]


def reading_of(tale):
    """What the annotation says, in words."""
    text = tale.narrative.text
    return [
        [
            (
                event.frame,
                " ".join(token.text for token in event.trigger),
                {a.role: [text[start:end] for start, end in a.spans] for a in event.arguments},
            )
            for event in sentence.events
        ]
        for sentence in tale.annotation
    ]


def test_narrative_is_the_text_without_its_header(crane):
    assert crane.narrative.text.startswith("A crane lived by the\nlake. One day")
    assert crane.narrative.text.endswith('since then."')
    assert [str(sentence) for sentence in crane.narrative] == [
        "A crane lived by the lake.",
        "One day it set off to find a wife.",
        '"Come home," said the fox, "and rest."',
        '"You (or I) had not been seen since then."',
    ]


def test_offsets_index_the_narrative(crane, crane_bytes):
    crane.annotation.check(crane.narrative)
    raw = re.search(r'off="0">\n(.*?)\n</desc>', crane_bytes.decode(), re.DOTALL)[1]
    token = crane.annotation[1].tokens[3]
    assert raw[token.start + crane.shift : token.end + crane.shift] == token.text == "set"


def test_predicates_and_roles(crane):
    assert reading_of(crane) == [
        [("live.01", "lived", {"ARG0": ["A crane"], "ARGM-LOC": ["by the\nlake"]})],
        [
            ("set.04", "set off", {"ARG0": ["it"], "ARGM-PNC": ["to find a wife"], "ARGM-TMP": ["One day"]}),
            ("find.01", "find", {"ARG0": ["it"], "ARG1": ["a wife"]}),
        ],
        [
            ("come.01", "Come", {"ARG4": ["home"]}),
            ("say.01", "said", {"ARG0": ["the fox"], "ARG1": ["Come home", "and rest"]}),
            ("rest.01", "rest", {}),
        ],
        [
            ("say.01", '"', {"ARG1": ["You (or I) had not been seen since then"]}),
            ("see.01", "seen", {"ARG1": ["You (or I)"], "ARGM-TMP": ["since then"], "ARGM-NEG": ["not"]}),
        ],
    ]
    assert [event.verbal for event in crane.annotation[3].events] == [False, True]
    assert [len(tree.leaves) for tree in crane.trees] == [7, 10, 14, 14]


def summarize(text):
    """Read a tale and return its problems, and what could be read of it."""
    try:
        tale = read_tale(text.encode(), name="crane1.sty")
    except ReadingError as error:
        return {"refused": str(error)}
    tale.annotation.check(tale.narrative)
    assert len(tale.words) == len(tale.trees) == len(tale.labels) == len(tale.narrative)
    return {
        "problems": [f"{problem.item} {problem.kind}: {problem.what}" for problem in tale.problems],
        "title": tale.narrative.title,
        "tokens": [" ".join(f"{t.text}/{t.tag}" for t in each.tokens) for each in tale.annotation],
        "words": [" ".join(words) for words in tale.words],
        "events": reading_of(tale),
        "trees": [tree is not None for tree in tale.trees],
        "functions": [function.id for function in tale.functions],
        "labels": tale.labels,
    }


def summarize_change(whole, case):
    """Read the tale with one string replaced and return what is then different."""
    assert whole.count(case["old"]) == 1
    usual, changed = summarize(whole), summarize(whole.replace(case["old"], case["new"]))
    different = {key: value for key, value in changed.items() if usual.get(key) != value}
    return json.loads(json.dumps(different))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_what_is_malformed_is_reported_and_left_out_and_the_rest_is_read(case, crane_bytes):
    assert summarize_change(crane_bytes.decode(), case) == case["expected"]


if __name__ == "__main__":
    whole = (DATA / "crane1.sty").read_text(encoding="utf-8")
    updated = [case | {"expected": summarize_change(whole, case)} for case in CASES]
    MALFORMED.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in updated))
