"""Speakers, stage directions and scene headings of plays are not sentences; no prose is taken for a play."""

from __future__ import annotations

import pytest

from barthes.reading import narrate, narrate_chapters, parse_document
from barthes.reading.play import find_cast, find_structure
from tests.reading.test_headings import BOOKS
from tests.reading.test_tale_books import GOOSE, KING, WELL
from tests.shared_data import find_shared

ABOVE = """ACT I

SCENE I. A mill at night.

Enter ANNA and BEN.

ANNA.
Who is it at the door? I hear
no knocking.

BEN.
[Aside] The wolf, I think.
(Loudly) Nobody at all.

ANNA.
Then open it (if you dare) now. (She rises.)

MILLER.
It is late.

BEN.
I will not.
Exit BEN.
"""
SCREEN = """INT. MILL - NIGHT

A wolf stands at the door. Anna sees it.

                    ANNA
          Who is it?

                    BEN
               (whispering)
          The wolf.

CUT TO:

EXT. HILL - DAY

                    ANNA (V.O.)
          It was gone.

                    BEN
          For good.
"""
BEFORE = (
    "ANNA. Who is it?\n\nBEN (rising). The wolf.\n\nANNA. Which one?\n\nMILLER. Run.\n\nBEN. The grey one."
)
COLON = "\n".join(["Anna: Who is it?", "Ben: The wolf.", "Anna: No!", "Ben: Yes.", "Anna: Oh.", "Ben: So."])
APART = "\n\n".join(["ANNA", "Who is it?", "BEN", "The wolf."] * 3)


def read(text, **options):
    return narrate(parse_document(text.encode(), where="x", name="x.txt"), **options)


@pytest.mark.parametrize(
    ("text", "sentences", "note"),
    [
        (
            ABOVE,
            "Who is it at the door?|I hear no knocking.|The wolf, I think.|Nobody at all."
            "|Then open it (if you dare) now.|It is late.|I will not.",
            "2 scene headings, 5 speakers, 5 stage directions",
        ),
        (
            SCREEN,
            "A wolf stands at the door.|Anna sees it.|Who is it?|The wolf.|It was gone.|For good.",
            "3 scene headings, 4 speakers, 2 stage directions",
        ),
        (BEFORE, "Who is it?|The wolf.|Which one?|Run.|The grey one.", "5 speakers, 1 stage direction"),
        (COLON, "Who is it?|The wolf.|No!|Yes.|Oh.|So.", "6 speakers"),
        (APART, "Who is it?|The wolf.|Who is it?|The wolf.|Who is it?|The wolf.", "6 speakers"),
    ],
    ids=["names above", "a screenplay", "names before", "colons", "names apart"],
)
def test_the_sentences_of_a_play(text, sentences, note):
    story = read(text)
    assert [str(each) for each in story] == sentences.split("|")
    assert f"Read as a play; not scored: {note}." in story.notes
    assert story.text == text
    kept = read(text, with_speakers=True)
    assert sum(map(len, kept)) > sum(map(len, story))
    assert not any("play" in each for each in kept.notes)


RISING = "(rising)."
CAST = """THE MILL

DRAMATIS PERSONAE

ANNA, a miller's daughter, who fears the wolf more
than anything.
BEN. Her brother.
The MILLER.
Wolves, hens and neighbours.

SCENE: A mill by a river. The wheel
turns slowly.

"""


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        (f"{CAST}{ABOVE}", "cast list", [CAST[10 : CAST.index("\n\nSCENE")]]),
        (f"CHARACTERS\n\nAnna Mill\nBen\n\n{BEFORE}", "cast list", ["CHARACTERS\n\nAnna Mill\nBen"]),
        (f"CAST\n\nANNA. A girl.\nBEN. A boy.\n\n{BEFORE}", "cast list",
         ["CAST\n\nANNA. A girl.\nBEN. A boy."]),
        (f"Persons of the Play.\n\n{BEFORE}", "cast list", []),
        (f"CAST\n\nAnna\nBen\n\nIt is night at the mill by a river,\nand it rains.\n\n{BEFORE}", "cast list",
         ["CAST\n\nAnna\nBen"]),
        (f"SCENE: A mill by a river. The wheel\nturns.\n\n{BEFORE}", "stage direction",
         ["SCENE: A mill by a river. The wheel\nturns.", RISING]),
        (f"{BEFORE} [Exit.\n\nANNA. Gone?\n[_Exeunt omnes._\n", "stage direction",
         [RISING, "[Exit.", "[_Exeunt omnes._"]),
        (f"{BEFORE}\n\nExit BEN.\n\nEnter a wolf,\nwith a hen.", "stage direction",
         [RISING, "Exit BEN.", "Enter a wolf,\nwith a hen."]),
        (f"{BEFORE}\n\nANNA. Come. [She rises.] Sit.[ab] So. [_Goes_] on. I [hm] see. (I do.) Go.\n\nCURTAIN",
         "stage direction", [RISING, "[She rises.]", "CURTAIN"]),
        (f"{BEFORE}\n\n_The curtain falls._\n\nBEN\nCurtain.\n\nThe curtain was red.", "stage direction",
         [RISING, "_The curtain falls._"]),
        (f"{BEFORE}\n\nExit polls are in.\n\nEnter at your own risk.", "stage direction", [RISING]),
        (APART.replace("Who is it?", "Enter the mill.", 1), "stage direction", []),
        (f"{SCREEN}\nTHE DOOR FALLS!\n\nLATER\n\nFADE OUT.", "scene heading",
         ["INT. MILL - NIGHT", "CUT TO:", "EXT. HILL - DAY", "LATER", "FADE OUT."]),
    ],
)  # fmt: skip
def test_parts_of_a_play(text, kind, found):
    assert [text[start:end] for start, end, each in find_structure(text) if each == kind] == found


def test_headings_of_a_screenplay_in_plain_text_can_be_kept():
    kept = [str(each) for each in read(SCREEN, with_speakers=True)]
    assert {"INT. MILL - NIGHT", "EXT. HILL - DAY", "ANNA", "CUT TO:"} <= set(kept)


def test_a_cast_list_is_not_scored_whole_or_by_chapters():
    play = f"{CAST}{ABOVE}\nACT II\n\n{BEFORE}"
    document = parse_document(play.encode(), where="x", name="x.txt")
    first, *_ = stories = narrate_chapters(document)
    assert len(stories) > 1
    assert str(first[0]) == str(narrate(document)[0]) == "Who is it at the door?"


@pytest.mark.parametrize("play", [ABOVE, SCREEN, BEFORE, COLON, APART, CAST + ABOVE])
def test_a_short_play_is_not_taken_for_another_language(play):
    assert not any("English" in note for note in read(play * 2).notes)


PROSE = {
    "one name": f"{WELL}\n\nJOHN: I come.\n\n{GOOSE}",
    "a shout": f"{WELL}\n\nHELP\n\n{GOOSE}\n\nHELP\n\n{KING}\n\nHELP\n\n{WELL}",
    "an argument in capitals": f"{WELL}\n\nNO\n\nYES\n\n{GOOSE}\n\nNO\n\nYES\n\n{KING}" + f"\n\n{WELL}" * 5,
    "brackets": f"{WELL}\n\n(And so it was.)\n\n[He slept.]\n\n{GOOSE}",
    "notes": "\n\n".join([WELL, "Note: a crane is a bird.", GOOSE, "Note: a barn.", KING, "Moral: be kind."]),
    "numbers": "I. The well was deep.\n\nII. The goose sang.\n\nI. The king came.\n\nII. He left.",
}


@pytest.mark.parametrize("name", PROSE)
def test_prose_is_no_play(name):
    assert find_structure(PROSE[name]) == []


def test_a_scene_of_a_play_may_have_few_speeches():
    scenes = f"SCENE I\n\n{BEFORE}\n\nSCENE II\n\nANNA. It is gone."
    stories = narrate_chapters(parse_document(scenes.encode(), where="x", name="x.txt"))
    assert [str(each) for each in stories[-1]] == ["It is gone."]


TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div type="scene"><head>Scene 1</head>
<castList><castItem>Anna, a girl.</castItem><castItem>Ben.</castItem></castList><stage>A mill.</stage>
<sp><speaker>Anna</speaker><l>Who is it at the door</l><l>so late at night?</l></sp>
<sp><speaker>Ben</speaker><stage>aside</stage><p>The wolf. <stage>He rises.</stage> Run!</p></sp>
</div></body></text></TEI>"""


def test_speakers_and_stage_directions_of_tei():
    document = parse_document(TEI.encode(), where="x", name="x.xml")
    story = narrate(document)
    assert [str(each) for each in story] == ["Who is it at the door so late at night?", "The wolf.", "Run!"]
    assert story.notes == ("Left out: 1 cast list, 1 heading, 2 speakers, 3 stage directions.",)
    kept = narrate(parse_document(TEI.encode(), where="x", name="x.xml", with_speakers=True))
    assert [str(each) for each in kept][2:5] == ["A mill.", "Anna", "Who is it at the door so late at night?"]


@pytest.mark.parametrize("name", BOOKS)
def test_no_real_book_of_tales_is_a_play(name):
    data = (find_shared("folktales") / f"{name}.txt").read_bytes()
    assert find_structure(parse_document(data, where=name).join().text) == []


@pytest.mark.parametrize(
    "lines",
    [
        ["He said: go.", "She said: no."],
        ["Monday: It rained.", "Tuesday: It snowed."],
        ["MR. Smith came.", "MRS. Smith went."],
        ["U.S. Grant rode.", "J.R. Ewing ran."],
    ],
)
def test_prose_with_colons_and_abbreviations_is_no_play(lines):
    assert not find_cast("\n\n".join(lines * 3)).forms
