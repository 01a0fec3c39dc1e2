"""The reader on a tale that we wrote: every layer, and everything that can be wrong with one."""

import dataclasses
import pickle
import re

import pytest

from barthes.corpora.tale import read_tale
from barthes.errors import ReadingError, UnknownNameError


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


def kinds(tale):
    return [(problem.item, problem.kind) for problem in tale.problems]


def test_header(crane):
    assert crane.problems == ()
    assert (crane.name, crane.number) == ("crane1", 1)
    assert crane.title == crane.narrative.title == "The Crane's Wife"
    assert crane.collector == "Nobody at all"
    assert crane.translator == "The Barthes developers"
    assert crane.year == 2026


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


def test_tokens_and_tags(crane):
    tokens = crane.annotation[3].tokens
    assert [token.text for token in tokens[:6]] == ['"', "You", "(", "or", "I", ")"]
    assert crane.words[3][:6] == ("``", "You", "-LRB-", "or", "I", "-RRB-")
    assert [(t.text, t.tag) for t in tokens if t.auxiliary] == [("had", "VBD"), ("been", "VBN")]


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


def test_a_tale_can_be_pickled(crane):
    assert pickle.loads(pickle.dumps(crane)) == crane


def test_unknown_rule(crane_bytes):
    with pytest.raises(UnknownNameError, match="corrected"):
        read_tale(crane_bytes, name="crane1.sty", rule="papr")


# What is malformed: reported with its id, left out, and the rest is read as if it were not there.

TOKEN = '<desc id="8" len="4" off="250">lake</desc>'
MISPLACED = [("8", "token"), ("49", "sentence"), ("111", "role"), ("57", "function")]


@pytest.mark.parametrize(
    "token",
    [
        '<desc id="8" len="4" off="249">lake</desc>',  # one to the left
        '<desc id="8" len="9" off="250">lake</desc>',  # too long
        '<desc id="8" len="0" off="250">lake</desc>',  # nothing
        '<desc id="8" len="4" off="99999">lake</desc>',  # outside
        '<desc id="8" len="4" off="10">lake</desc>',  # in the header
        '<desc id="8" len="4" off="250">pond</desc>',  # another word
    ],
)
def test_misplaced_token(broken, crane, token):
    tale = broken((TOKEN, token))
    assert [t.text for t in tale.annotation[0].tokens] == ["A", "crane", "lived", "by", "the", "."]
    assert tale.annotation.sentences[1:] == crane.annotation.sentences[1:]
    assert tale.narrative == crane.narrative
    assert tale.annotation[0].events == ()  # ARGM-LOC covers the token, so the role cannot be read
    assert kinds(tale) == MISPLACED


@pytest.mark.parametrize("attributes", ['len="4"', 'len="4" off="x"', 'off="250"', 'len="4" off="-1"'])
def test_description_without_offsets(broken, attributes):
    tale = broken((TOKEN, f'<desc id="8" {attributes}>lake</desc>'))
    assert kinds(tale)[0] == ("8", "layer")
    assert "lake" not in [token.text for token in tale.annotation[0].tokens]


def test_spelling_of_a_source_corrected_later(broken):
    tale = broken((">crane</desc>", ">crain</desc>"))
    assert kinds(tale) == [("4", "spelling")]
    assert tale.annotation[0].tokens[1].text == "crane"
    assert tale.words[0][1] == "crain"


def test_token_given_twice_with_two_meanings(broken):
    tale = broken((TOKEN, TOKEN + '<desc id="8" len="3" off="246">the</desc>'))
    assert kinds(tale)[0] == ("8", "layer")
    assert "lake" not in [token.text for token in tale.annotation[0].tokens]


def test_layer_given_twice_alike(broken, crane, crane_bytes):
    layer = re.search(r'  <rep id="edu.mit.parsing.pos">.*?</rep>\n', crane_bytes.decode(), re.DOTALL)[0]
    tale = broken((layer, layer + layer))
    assert kinds(tale) == [("", "layer")]
    assert tale.annotation == crane.annotation


def test_dangling_token_in_a_sentence(broken, crane):
    tale = broken((">3~4~5~6~7~8~9<", ">3~4~5~6~7~8~777~9<"))
    assert tale.annotation[0].tokens == crane.annotation[0].tokens
    assert tale.trees[0] is None
    assert kinds(tale) == [("49", "sentence"), ("107", "tree"), ("111", "role")]


@pytest.mark.parametrize(
    "sentence",
    [
        '<desc id="50" len="33" off="256">10~11~12~13~14~15~16~17~18~19</desc>',
        '<desc id="50" len="34" off="255">10~11~12~13~14~15~16~17~18~19</desc>',
        '<desc id="50" len="34" off="240">10~11~12~13~14~15~16~17~18~19</desc>',
        '<desc id="50" len="34" off="256">777~11~12~13~14~15~16~17~18~19</desc>',
        '<desc id="50" len="34" off="256">nothing at all</desc>',
        '<desc id="50" len="34" off="256"></desc>',
        '<desc id="50" len="0" off="256">10~11~12~13~14~15~16~17~18~19</desc>',
    ],
)
def test_sentence_that_cannot_be_placed(broken, crane, sentence):
    tale = broken(('<desc id="50" len="34" off="256">10~11~12~13~14~15~16~17~18~19</desc>', sentence))
    assert len(tale.narrative) == len(tale.annotation) == len(tale.trees) == len(tale.labels) == 3
    assert tale.annotation.sentences == (crane.annotation[0], *crane.annotation.sentences[2:])
    assert {("50", "sentence"), ("108", "tree"), ("112", "role"), ("113", "role")} <= set(kinds(tale))
    tale.annotation.check(tale.narrative)


@pytest.mark.parametrize(
    ("old", "new", "expected", "tags"),
    [
        (">8 NN</desc>", ">NN</desc>", [("67", "tag"), ("8", "tag")], ["", "."]),  # not a tag
        (">9 .</desc>", ">8 VB</desc>", [("68", "tag"), ("9", "tag")], ["", ""]),  # two tags
    ],
)
def test_broken_tags(broken, old, new, expected, tags):
    tale = broken((old, new))
    assert kinds(tale) == expected
    assert [token.tag for token in tale.annotation[0].tokens[5:]] == tags


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(. ._9)))<", "(. ._9))<"),  # a bracket too few
        ("(. ._9)))<", "(. ._9))))<"),  # too many
        ("(NN lake_8)", "(NN lake)"),  # no token
        ("(NN lake_8)", "lake_8"),  # no part of speech
        ("(NN lake_8)", ""),  # a word is missing
        ("(NN lake_8)", "(NN lake_7)"),  # another token
        ("(NN lake_8)", "(NN lake_8) (NN)"),
        ("(ROOT (S (NP (DT A_3)", "((S (NP (DT A_3)"),
    ],
)
def test_broken_tree(broken, crane, old, new):
    tale = broken((old, new))
    assert kinds(tale) == [("107", "tree"), ("111", "role")]
    assert tale.trees == (None, *crane.trees[1:])
    assert tale.annotation[0].tokens == crane.annotation[0].tokens
    assert tale.labels == crane.labels


def test_two_trees_for_one_sentence(broken):
    tale = broken(('id="108" len="34" off="256"', 'id="108" len="26" off="229"'))
    assert tale.trees[:2] == (None, None)
    assert ("107", "tree") in kinds(tale)


@pytest.mark.parametrize(
    "roles",
    [
        "2 user live.01",
        "two user live.01 ----a 0:1-ARG0- 3:1-ARGM-LOC",
        "2 user live.01 ----a 0:1-ARG0- 3:1-ARGM-LOC 4",
        "2 user live.01 ----a 0-ARG0- 3:1-ARGM-LOC",
        "2 user live.01 ----a 0:1-ARG9- 3:1-ARGM-LOC",
        "2 user live.01 ----a 0:1,-ARG0- 3:1-ARGM-LOC",
        "77 user live.01 ----a 0:1-ARG0- 3:1-ARGM-LOC",  # no such leaf
        "2 user live.01 ----a 77:1-ARG0- 3:1-ARGM-LOC",
        "2 user live.01 ----a 0:77-ARG0- 3:1-ARGM-LOC",  # no such height
        "2 user live.01 ----a 0:1-ARG0- 4:0-ARGM-LOC",  # other characters than it says
        "",
    ],
)
def test_broken_roles(broken, crane, roles):
    tale = broken(("2 user live.01 ----a 0:1-ARG0- 3:1-ARGM-LOC", roles))
    assert kinds(tale) == [("111", "role")]
    assert tale.annotation[0].events == ()
    assert tale.annotation.sentences[1:] == crane.annotation.sentences[1:]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # a role outside every sentence
        ('id="111" len="25" off="229"', 'id="111" len="25" off="9999"', [("111", "role")]),
        # a whole word at the offsets, but not one that the token could be
        ("the\nlake.", "the\nfair.", MISPLACED),
        # a text of another length
        ('<desc id="0" len="374"', '<desc id="0" len="380"', [("0", "text")]),
    ],
)
def test_what_else_is_malformed(broken, old, new, expected):
    assert kinds(broken((old, new))) == expected


@pytest.mark.parametrize(
    "event",
    [
        "OCCURRENCE|5|5|VERB|PAST|NONE|true||1|",
        "OCCURRENCE|five|5|VERB|PAST|NONE|true||1||",
        "OCCURRENCE|777|5|VERB|PAST|NONE|true||1||",
        "OCCURRENCE|5|5|VERB|PAST|NONE|perhaps||1||",
        "",
    ],
)
def test_broken_time_event(broken, crane, event):
    tale = broken(("OCCURRENCE|5|5|VERB|PAST|NONE|true||1||", event))
    assert kinds(tale) == [("53", "event")]
    assert tale.time_events == crane.time_events[1:]


@pytest.mark.parametrize(
    "function",
    [
        "H1",
        "H1|ACTUAL",
        "H1|ACTUAL:",
        "H1|ACTUAL:21~",
        "H1|ACTUAL:21|PERHAPS:25",
        "H1|ACTUAL:777",
        "|ACTUAL:21",
        "H1 ACTUAL 21",
        "",
    ],
)
def test_broken_function(broken, crane, function):
    tale = broken(("H1|ACTUAL:21|ANTECEDENT:25|ACTUAL:31", function))
    assert kinds(tale) == [("59", "function")]
    assert len(tale.functions) == len(crane.functions) - 1
    assert tale.labels == (False, False, False, True)


@pytest.mark.parametrize(
    "layer",
    ["parsing.pos", "parsing.parse", "semantics.semroles", "semantics.rep.event", "semantics.rep.function"],
)
def test_missing_layer(broken, crane, layer):
    tale = broken((f'<rep id="edu.mit.{layer}"', '<rep id="something.else"'))
    assert ("", "layer") in kinds(tale)
    assert layer in next(problem.what for problem in tale.problems if problem.kind == "layer")
    assert tale.narrative == crane.narrative
    assert not [problem for problem in tale.problems if problem.kind == "tag"]


@pytest.mark.parametrize("layer", ["story.char", "parsing.token", "parsing.sentence"])
def test_no_story_without_these_layers(broken, layer):
    with pytest.raises(ReadingError, match=r"crane1\.sty"):
        broken((f'<rep id="edu.mit.{layer}"', '<rep id="something.else"'))


def test_lost_character_is_noticed_not_guessed_at(broken):
    """A copy that lost one character moves everything after it: nothing of that may be believed."""
    tale = broken(("One day it", "One dayit"))
    assert len(tale.narrative) == 1
    assert str(tale.narrative[0]) == "A crane lived by the lake."
    assert {("0", "text"), ("12", "token"), ("50", "sentence"), ("51", "sentence")} <= set(kinds(tale))
    tale.annotation.check(tale.narrative)


def test_a_text_without_header(broken, crane_bytes):
    header = re.search(r"/\*\*.*?\*/", crane_bytes.decode(), re.DOTALL)[0]
    tale = broken((header, " " * len(header)))
    assert (tale.title, tale.translator, tale.year) == ("", "", None)
    assert len(tale.narrative) == 4
    assert dataclasses.replace(tale.narrative, title="x").text.startswith("A crane")
