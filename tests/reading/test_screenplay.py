"""Screenplays: action and dialogue are text; everything else is structure."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.cutting.shortened import remove_sentences
from barthes.cutting.write_back import write_back
from barthes.errors import BarthesError, EmptyNarrativeError
from barthes.reading import narrate, narrate_chapters, read_text
from barthes.reading.formats import parse_document
from barthes.reading.scene_breaks import is_scene_break
from barthes.units import regroup
from tests.reading.conversion import DATA

MILL = (DATA / "mill.fountain").read_text(encoding="utf-8")
FINAL_DRAFT = (DATA / "mill.fdx").read_bytes()
EMPTY = b"<FinalDraft><Content/></FinalDraft>"
SENTENCES = [
    *("The old miller counts his coins.", "A door creaks.", "Who is there?", "Nobody, surely.", "Only me."),
    *("Tra la la", "I waited.", "And nobody came.", "BANG", "It rains.", "The wolf sleeps."),
]
BREAKS = ["INT. MILL - NIGHT", ".LATER THAT NIGHT", "***", "EXT. RIVER - DAWN"]


def parse(text, name="mill.fountain"):
    return parse_document(text.encode(), where=name, name=name)


def test_action_and_dialogue_of_fountain_are_the_text():
    narrative = narrate(parse(MILL))
    assert [str(sentence) for sentence in narrative] == SENTENCES
    assert narrative.title == "THE MILL"
    lines = [gap.strip() for gap in narrative.gaps if gap.strip()]
    assert lines == BREAKS
    assert all(map(is_scene_break, lines))
    assert narrative.notes[-1] == "Read as a screenplay: 3 paragraphs of action, 3 speeches."


def test_speakers_and_directions_can_be_kept():
    document = parse_document(MILL.encode(), where="x", name="x.fountain", keep=["speaker", "direction"])
    text = document.join().text
    assert "MILLER (V.O.)" in text
    assert "(quietly)" in text
    story = narrate(document, keep=["speaker", "direction"])
    assert "INT. MILL - NIGHT" in [str(each) for each in story]


def test_sentences_are_action_or_dialogue():
    spoken = dict.fromkeys(SENTENCES, ("action", ""))
    spoken |= dict.fromkeys(SENTENCES[2:4], ("dialogue", "MILLER"))
    spoken |= dict.fromkeys(SENTENCES[4:6], ("dialogue", "THE WOLF"))
    spoken |= dict.fromkeys(SENTENCES[6:8], ("dialogue", "McAvoy"))
    story = narrate(parse(MILL))
    assert {str(each): (each.kind, each.speaker) for each in story} == spoken
    paragraphs = regroup(story, "paragraph")
    speakers = {each.speaker for each in paragraphs if each.kind == "dialogue"}
    assert speakers == {"MILLER", "THE WOLF", "McAvoy"}


def test_speakers_of_final_draft_and_of_chapters():
    story = narrate(parse_document(FINAL_DRAFT, where="x", name="x.fdx"))
    assert [each.speaker for each in story] == ["", "MARY", "JOHN", ""]
    acts = parse("# One\n\nA door creaks.\n\nMARY\nWho is it?\n\n# Two\n\nIt rains.\n\nJOHN\nOnly me.\n")
    kinds = ["action", "dialogue"]
    assert [each.kind for each in narrate(acts)] == kinds * 2
    assert [[each.kind for each in chapter] for chapter in narrate_chapters(acts)] == [kinds] * 2
    assert {each.kind for each in read_text("“Who is it?” asked Mary.")} == {""}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("He said: no.\n\nIt rains.", "He said: no.\n\nIt rains."),  # no title page
        ("FADE IN:\n\nIt rains.", "It rains."),
        ("It rains. /* open\n\n[[open\n\nThe end.", "It rains. /* open\n\n[[open\n\nThe end."),
        ("... and then?\n\n.. dots.", "... and then?\n\n.. dots."),
        ("He has 2 * 3 coins, \\*so\\* snake_case.", "He has 2 * 3 coins, *so* snake_case."),
        ("BANG!\nThe door falls.", "BANG!\nThe door falls."),
        ("MARY", "MARY"),  # nobody speaks
        ("  \nMARY\nWho?\n  \n\n  ", "Who?"),
        ("Est-ce que\nInto the mill.", "Est-ce que\nInto the mill."),
        ("ÉLODIE\nOui.", "Oui."),
        ("\ufeffINT. MILL\r\n\r\nIt rains.\r\n", "INT. MILL\n\nIt rains."),
        ("MARY\n~Come, O come\n~to the mill.", "Come, O come\nto the mill."),
        ("~Come, O come\n~to the mill.\n\nIt rains.", "Come, O come\nto the mill.\n\nIt rains."),
        ("It rains.\n\nSMASH CUT TO:\n\nA mill.", "It rains.\n\nA mill."),
        ("It rains.\n\nCUT TO:\nINT. MILL\nA wolf.", "It rains.\n\nINT. MILL\n\nA wolf."),
        ("> FADE TO WHITE.\nIt rains.", "It rains."),
        ("THE SIGN READS:\n\nCUT THE ROPE!", "THE SIGN READS:\n\nCUT THE ROPE!"),
        ("EXT. 24TH STREET\n\nIt rains.", "EXT. 24TH STREET\n\nIt rains."),
        ("!~30 people wait.\n\n\\~So", "~30 people wait.\n\n~So"),
        ("EST NEW YORK\n\nIt rains.", ".EST NEW YORK\n\nIt rains."),
    ],
)
def test_other_lines_of_fountain(text, kept):
    assert parse(text).join().text == kept


def test_sections_are_chapters():
    acts = "# One\n\nINT. MILL\n\nRain.\n\n## Noon\n\nHeat.\n\n# Two\n\nSun.\n"
    chapters = parse(f"The wolf came down in winter.\n\n***\n\n{acts}").chapters
    texts = [(chapter.title, chapter.text) for chapter in chapters]
    assert texts == [
        ("", "The wolf came down in winter.\n\n***"),
        ("One", "INT. MILL\n\nRain.\n\nHeat."),
        ("Two", "Sun."),
    ]


def test_action_and_dialogue_of_final_draft_are_the_text():
    document = parse_document(FINAL_DRAFT, where="x", name="x.txt")
    assert document.join().text.split("\n\n") == [
        *("INT. MILL - NIGHT", "The wolf waits.", "It rains.", "It does.", ".A DREAM", "A bell rings."),
    ]


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "a.fountain", "neither action nor dialogue"),
        (b"INT. MILL\n\n***\n\nMARY\n(softly)\n", "a.fountain", "neither action nor dialogue"),
        (b"\x00\x01\x02" * 50, "a.fountain", "not text"),
        (EMPTY, "a.fdx", "neither action nor dialogue"),
        (b"<FinalDraft/>", "a.fdx", "has no <Content>"),
        (b"<FinalDraft><Content>", "a.fdx", "not well-formed"),
        (b"A wolf came.", "a.fdx", "has the extension of Final Draft but is not XML"),
        (
            FINAL_DRAFT.replace(b"?>", b'?><!DOCTYPE x [<!ENTITY a "ha">]>'),
            "a.fdx",
            "declares the entity 'a'",
        ),
    ],
)
def test_bad_screenplays_are_refused(data, name, message):
    with pytest.raises(BarthesError, match=message) as caught:
        parse_document(data, where=f"tales/{name}", name=name)
    assert str(caught.value).startswith(f"tales/{name}")
    assert caught.value.remedy


def test_a_screenplay_without_headings_is_read():
    narrative = narrate(parse("A door creaks.\n\nMARY\nWho is there?\n"))
    assert [str(sentence) for sentence in narrative] == ["A door creaks.", "Who is there?"]
    with pytest.raises(EmptyNarrativeError):
        parse("# One\n\n= Nothing yet.\n")


TRAPS = r"""Title: The Mill
Author: A. B.

FADE IN:

# Act One

INT. MILL - NIGHT #1#

= Anna hears something.

The wolf comes. It is grey.

ANNA (V.O.)
(softly)
Who is it? I hear
something.
(beat)
Come in. *Now*.

!BANG
The door falls. CUT TO:

@McAvoy
I saw it.

He runs. INT. is a word. FADE OUT.

!INT. is a word. He runs.

He stops. EXT. is another. He runs.

!BANG ! ...
It rains.

CUT TO:

.LATER

MARY
(nods)

===

The \*wolf\* sleeps. A_B runs.

BEN
The wolf.
(he laughs)

ANNA ^
Which?

> THE END <

# Act Two

INT. HOUSE - DAY

!# is a sign. All sleep.

.Later that day #2A#

!~5 men come.
\*Stars\* fall. Then \*two\*.

ANNA
~O come,
~come to the mill! They come.
(laughing)
~They do.

.1984

~They sing. All
~of them sing.

They dream. SMASH TO:

FADE OUT.
"""


def describe(narrative):
    return [(each.kind, each.speaker, str(each)) for each in narrative]


def read_again(text):
    return narrate(parse(text, "short.fountain"))


@pytest.mark.parametrize("text", [MILL, TRAPS])
def test_fountain_is_written_back(text):
    narrative = narrate(parse(text))
    again = read_again(write_back(narrative).text)
    assert describe(again) == describe(narrative)
    assert again.text == narrative.text
    assert (again.title, again.chapters) == (narrative.title, narrative.chapters)
    assert write_back(again).text == write_back(narrative).text
    headings = [line for line in text.splitlines() if line.startswith(("INT", ".", "~", "ext", "=", "(n"))]
    assert [line for line in write_back(narrative).text.splitlines() if line in headings] == headings


def test_final_draft_is_written_back_as_fountain():
    """Shots and cast lists become action: Fountain has neither."""
    page = "<TitlePage><Content>{}</Content></TitlePage></FinalDraft>"
    lines = ("The Mill", "by A. Writer")
    titles = "".join(f"<Paragraph><Text>{line}</Text></Paragraph>" for line in lines)
    more = """<Paragraph Type="Cast List"><Text>Mary, John</Text></Paragraph>
        <Paragraph Type="Scene Heading" Number="7"><Text>1984</Text></Paragraph>
        <Paragraph Type="Character"><Text>MARY</Text></Paragraph>
        <Paragraph Type="Lyrics"><Text>Tra la *la*.</Text></Paragraph></Content>"""
    data = FINAL_DRAFT.decode().replace("</Content>", more).replace("</FinalDraft>", page.format(titles))
    narrative = narrate(parse_document(data.encode(), where="mill.fdx", name="mill.fdx"))
    assert [str(each) for each in narrative][-2:] == ["A bell rings.", "Tra la *la*."]
    text = write_back(narrative).text
    assert text == (
        "Title: The Mill\nNotes:\n    by A. Writer\n\nInt. mill - night #1#\n\nThe wolf waits.\n\n"
        "MARY (CONT'D)\n(softly)\nIt rains.\n\nJOHN\nIt does.\n\nCUT TO:\n\n!ANGLE ON\n\n.A dream\n\n"
        "A bell rings.\n\n!Mary, John\n\n.1984 #7#\n\nMARY\n~Tra la \\*la\\*."
    )
    assert narrative.restore().text.startswith("The Mill\nby A. Writer\n\nInt. mill - night #1#\n")
    again = read_again(text)
    assert again.title == "The Mill"
    assert [each for each in describe(again) if each[2] not in ("ANGLE ON", "Mary, John")] == describe(
        narrative
    )


LITERAL = [
    ("Action", "Title: Foo. He waits."),
    ("Action", "~30 people wait. !So it is."),
    ("Action", "A sign: [[TOP SECRET]] and /* so on. */ He reads. Source: the king."),
    ("Dialogue", "(I know.)"),
    ("Dialogue", "Well. (I know.) ~30 of [[them]]. (So (it) is)"),
    ("Dialogue", "~30 people came. !No, /* I */ don’t *know*."),
    ("Action", "The end."),
]


def read_final_draft(paragraphs):
    lines = (f'<Paragraph Type="{kind}"><Text>{text}</Text></Paragraph>' for kind, text in paragraphs)
    data = f"<FinalDraft><Content>{''.join(lines)}</Content></FinalDraft>".encode()
    return narrate(parse_document(data, where="x.fdx", name="x.fdx"))


@given(data=st.data())
def test_text_of_final_draft_that_looks_like_marks_is_written_back(data):
    cue = ("Character", "MARY")
    narrative = read_final_draft([each for line in LITERAL for each in (cue, line)])
    assert narrative.text == "\n\n".join(text for _, text in LITERAL)
    gone = data.draw(st.sets(st.integers(0, len(narrative) - 2)))
    text = remove_sentences(write_back(narrative), gone)
    assert describe(read_again(text)) == [each for k, each in enumerate(describe(narrative)) if k not in gone]


def test_who_says_nothing_stays():
    lines = [
        ("Action", "It rains."),
        ("Character", "MARY"),
        ("Parenthetical", "nods"),
        ("Action", "He runs."),
    ]
    assert write_back(read_final_draft(lines)).text == "It rains.\n\nMARY\n(nods)\n\nHe runs."


@pytest.mark.parametrize("source", [MILL, TRAPS])
@given(data=st.data())
def test_a_shortened_screenplay_is_read_as_what_is_left(source, data):
    narrative = narrate(parse(source))
    gone = data.draw(st.sets(st.integers(0, len(narrative) - 2)))
    text = remove_sentences(write_back(narrative), gone)
    assert describe(read_again(text)) == [each for k, each in enumerate(describe(narrative)) if k not in gone]
    assert not re.search(r"^[!~\\]+$|\s\\\s", text, re.MULTILINE), "marks go with their lines"


@pytest.mark.parametrize("page", ["Title: _The Mill_\nContact:\n    1 Hill Road", "Source: a tale", "Title:"])
def test_a_title_page_is_written_as_it_is(page):
    narrative = narrate(parse(f"{page}\n\nThe wolf waits."))
    assert write_back(narrative).text == narrative.restore().text == f"{page}\n\nThe wolf waits."


def test_scenes_are_cut_with_their_headings_and_speakers():
    narrative = regroup(narrate(parse(TRAPS)), "scene")
    text = remove_sentences(write_back(narrative), {0})
    assert text.startswith("Title: The Mill\nAuthor: A. B.\n\n# Act One\n\n.LATER\n\nMARY\n(nods)\n\nThe ")
    assert "BEN\nThe wolf.\n(he laughs)\n\nANNA ^\nWhich?\n\n> THE END <" in text


def test_marks_of_passages_to_keep_are_no_notes():
    narrative = narrate(parse("[[keep]]\n\nHe runs.\n\n[[/keep]]\n\n[[Note]]He eats."))
    assert [narrative.text[a:b].strip() for a, b in narrative.kept] == ["He runs."]
    assert [str(each) for each in narrative] == ["He runs.", "He eats."]
