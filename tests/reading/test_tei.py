from __future__ import annotations

import pytest

import barthes
from barthes.errors import ReadingError
from tests.reading.parsing import parser

parse = parser(".xml")

SPACE = 'xmlns="http://www.tei-c.org/ns/1.0"'


def read(body, attributes=""):
    return parse(f"<TEI {SPACE}><text {attributes}><body>{body}</body></text></TEI>".encode(), where="x")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        # Of two readings the one for reading is taken; one alone is the text.
        (
            "<p>A <choice><orig>vvolf</orig><reg>wolf</reg></choice> <del>went</del><add>came</add>.</p>",
            "A wolf came.",
        ),
        ("<p>The <app><rdg>fox</rdg><lem>wolf</lem></app>.</p>", "The wolf."),
        ("<p>A <subst><del>fox</del><add>wolf</add></subst>.</p>", "A wolf."),
        ("<p><choice><abbr>Mr</abbr><expan>Mister</expan></choice> Fox.</p>", "Mister Fox."),
        (
            "<p><abbr>Mr.</abbr> Fox was <orig>goode</orig> at <sic>teh</sic> game.</p>",
            "Mr. Fox was goode at teh game.",
        ),
        ('<p>The fer<lb break="no"/>\nryman<lb/>slept.</p>', "The ferryman slept."),
        # Speech gets quotation marks unless it has some.
        (
            "<p><said>Stop!</said> she cried.</p><p>“<q>Stop!</q>” she cried.</p>",
            "“Stop!” she cried.\n\n“Stop!” she cried.",
        ),
        (
            "<p>He sang: <lg><l>Moon and</l><l>sun</l></lg> and left.</p>",
            "He sang:\n\nMoon and\nsun\n\nand left.",
        ),
        ("<lg><head>Song</head><l>Moon</l><l>Sun</l></lg>", "Moon\nSun"),
        ("<p><w>The</w>\n<w>wolf</w>\n<w>came</w>\n<pc>.</pc></p>", "The wolf came."),
        # What adjoins is joined; the parts of a word are, wherever it was cut.
        (
            '<p><pc join="right">(</pc>\n<w join="right">do</w>\n<w>n’t</w> <w join="left">)</w></p>',
            "(don’t)",
        ),
        ('<p>A <w part="I">wo</w><lb/>\n<w part="F">lf</w> came.</p>', "A wolf came."),
        (
            '<p>A <w part="I">wo<pc force="weak">-</pc></w><fw>lf</fw>\n<pb/> <w part="F">lf</w> came.</p>',
            "A wolf came.",
        ),
        ('<p>A <w part="I">wo</w> and a <w part="F">lf</w> came.</p>', "A wo and a lf came."),
        # A hyphen at the end of a line goes, unless the word has it elsewhere too.
        ('<p>The fer-<lb break="no"/>\nryman and the fer¬\n<lb/>ryman</p>', "The ferryman and the ferryman"),
        ("<p>The fer\u00ad<lb/>ryman, the fer-<pb/>ryman</p>", "The ferryman, the ferryman"),
        ("<p>A well-<lb/>known Anglo-<lb/>Saxon, well-known.</p>", "A well-known Anglo-Saxon, well-known."),
        ("<p>He cried—<lb/>a wolf - <lb/>rain.</p>", "He cried— a wolf - rain."),
        ('<p>One<pb/> two<lb/>three wo<pb break="no"/> lf</p>', "One two three wolf"),
        # A text in the text is read once, where it stands.
        (
            "<p>She read:</p><floatingText><body><head>To you</head><p>Come home.</p></body></floatingText>"
            "<p>He read: <floatingText><body><ab>Stay.</ab></body></floatingText> She wept.</p>",
            "She read:\n\nCome home.\n\nHe read:\n\nStay.\n\nShe wept.",
        ),
    ],
)
def test_the_text_of_a_body(body, text):
    assert read(body).join().text == text


def test_marked_sentences_are_kept(tmp_path):
    path = tmp_path / "tale.xml"
    body = "<div><head>One</head><p><s>No. 5 <hi>came</hi>!</s> <s>it rained</s></p>"
    body += "<p><s>\n Then\n it stopped. </s></p></div>"
    body += "<div><head>Two</head><p><s>A wolf. Came.</s></p></div>"
    path.write_text(f"<TEI {SPACE}><text><body>{body}</body></text></TEI>")
    narrative = barthes.read(path)
    expected = ["No. 5 came!", "it rained", "Then it stopped.", "A wolf. Came."]
    assert [each.text for each in narrative] == expected
    assert [each.text for each in barthes.read(path, chapter=2)] == expected[3:]
    assert narrative.text == "No. 5 came! it rained\n\nThen it stopped.\n\nA wolf. Came."


@pytest.mark.parametrize("body", ["<p>Once, <s>a wolf came.</s></p>", "<p><s>A wolf <s>came</s>.</s></p>"])
def test_marked_sentences_that_do_not_cover_the_text_are_not_kept(body):
    assert read(body).chapters[0].spans == ()


def test_the_heads_of_a_text_in_the_text_begin_no_chapters():
    letter = "<floatingText><body><head>To you</head><p>Come home.</p></body></floatingText>"
    chapters = (f"<div><head>{title}</head><p>She read:</p>{letter}</div>" for title in ("Rain", "Wolf"))
    assert [each.title for each in read("".join(chapters)).chapters] == ["Rain", "Wolf"]


def test_an_id_may_be_there_twice():
    assert (
        read('<p xml:id="a">A wolf.</p><p xml:id="a">It rained.</p>').join().text == "A wolf.\n\nIt rained."
    )


def test_divisions_without_heads_are_numbered():
    found = read('<div type="chapter"><p>A.</p></div><div type="chapter" n="II"><p>B.</p></div>')
    assert [each.title for each in found.chapters] == ["Chapter 1", "Chapter II"]


def test_the_language_and_the_older_version_p4():
    assert read("<p>Ein Wolf.</p>", 'xml:lang="de"').language == "de"
    p4 = b"<TEI.2><text><body><div1><p>A wolf.</p></div1></body></text></TEI.2>"
    assert parse(p4, where="x").join().text == "A wolf."


def test_references_to_characters_are_known_wherever_they_stand():
    old = '<!DOCTYPE TEI SYSTEM "tei.dtd"><TEI><teiHeader><fileDesc><titleStmt><title>La f&eacute;e</title>'
    old += "</titleStmt></fileDesc></teiHeader><text><body><div>&nbsp;<p>A wolf &mdash; came.</p>%s</div>"
    old += "</body></text></TEI>"
    found = parse((old % "").encode(), where="x")
    assert (found.title, found.join().text) == ("La fée", "A wolf — came.")
    with pytest.raises(ReadingError, match="the entity &wolf;, which is not in it"):
        parse((old % "&wolf;").encode(), where="x")
