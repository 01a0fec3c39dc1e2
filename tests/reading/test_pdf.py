from __future__ import annotations

import pytest

from barthes.errors import ReadingError
from barthes.reading import pdf
from tests.reading.parsing import parser
from tests.reading.printing import IDENTITY, PICTURE, TIMES, Printer, build_pdf

parse = parser(".pdf")

LONG = "The wolf went through the wood and over the hill and down to the river where the ferry lay. " * 4


def set_lines(*lines, size=11, left=60):
    """A page of lines, each `(text, x, y)`."""
    return b"\n".join(
        b"BT /F1 %d Tf %d %d Td (%s) Tj ET" % (size, x, y, text.encode("cp1252")) for text, x, y in lines
    )


def texts(*pages, **options):
    return [chapter.text for chapter in parse(build_pdf(list(pages), **options), where="x").chapters]


CUT = ["The ferry-", "man met a well-", "known wolf. His well-known", "teeth were old-", "fashioned."]
INITIAL = b"BT /F1 36 Tf 60 480 Td (T) Tj ET\n"
STAMP = b"BT /F1 9 Tf 0 1 -1 0 20 200 Tm (arXiv:0000.0000) Tj ET\n"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            set_lines(*[(line, 60, 500 - 14 * i) for i, line in enumerate(CUT)]),
            "The ferryman met a well-known wolf. His well-known teeth were oldfashioned.",
        ),
        (
            INITIAL + set_lines(("he wolf came to", 80, 500), ("the river.", 80, 486)),
            "The wolf came to the river.",
        ),
        (STAMP + set_lines(("A wolf came.", 60, 500)), "A wolf came."),
    ],
    ids=["words cut at the end of a line are healed", "an initial", "text that runs up the edge"],
)
def test_the_text_of_a_page(page, text):
    assert texts(page) == [text]


def test_paragraphs_by_gaps():
    rows = [("A wolf came down to the river in the", 500), ("evening.", 486), ("It rained.", 458)]
    rows += [("He left.", 430), ("He was wet and cold and hungry and", 416)]
    found = texts(set_lines(*[(text, 60, y) for text, y in rows]))
    assert found[0].split("\n\n")[0] == "A wolf came down to the river in the evening."


def test_a_paragraph_goes_on_over_the_page():
    printer = Printer(head="Wolves")
    for _ in range(20):
        printer.set_paragraph(LONG.strip())
    document = parse(printer.to_pdf(), where="x")
    assert document.chapters[0].text == "\n\n".join([LONG.strip()] * 20)
    assert sum(kind == "furniture" for kind, _ in document.marked) >= len(printer.pages) > 2


@pytest.mark.parametrize(
    ("titles", "outlined"), [(["Rain", "The Wolf"], True), (["Chapter 1", "Chapter 2"], False)]
)
def test_chapters_by_the_outline_or_by_the_wording_of_headings(titles, outlined):
    printer = Printer()
    for title in titles:
        printer.set_heading(title, size=11, outlined=outlined)
        printer.set_paragraph(LONG.strip())
    document = parse(printer.to_pdf(), where="x")
    assert [chapter.title for chapter in document.chapters] == titles
    assert {chapter.text for chapter in document.chapters} == {LONG.strip()}


TALES = ["The Well", "The Goose", "The King"]


def test_stories_with_titles_in_letters_of_the_same_size():
    printer = Printer()
    for title in TALES:
        printer.set_heading(title, size=11)
        printer.set_paragraph(LONG.strip())
        printer.set_paragraph(LONG.strip())
    document = parse(printer.to_pdf(), where="x")
    assert [chapter.title for chapter in document.chapters] == TALES
    assert document.division == "found by titles set apart by blank lines (confidence: low)"


def test_pages_without_text_are_noted():
    data = build_pdf([set_lines(("A wolf came.", 60, 500)), PICTURE])
    assert parse(data, where="x").notes == ("1 of 2 pages are pictures without text, and are not read.",)


def test_a_heading_at_the_top_of_a_page_is_no_running_head():
    body = [(f"The wolf came {word} times and more", 60, 470 - 14 * i) for i, word in enumerate("abcdef")]
    heads = [[("Wolves", 180, 560), (f"Chapter {number}", 60, 520)] for number in (1, 2, 3)]
    pages = [set_lines(*head, *body, ("again.", 60, 386)) for head in heads]
    document = parse(build_pdf(pages), where="x")
    assert [chapter.title for chapter in document.chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert sum(kind == "furniture" for kind, _ in document.marked) == 3


@pytest.mark.parametrize(
    ("limit", "most", "words"), [("MAX_PAGES", 2, "has 3 pages"), ("MAX_CHARACTERS", 30, "more than 30")]
)
def test_what_is_more_than_any_story_is_refused(monkeypatch, limit, most, words):
    monkeypatch.setattr(pdf, limit, most)
    pages = [set_lines(("The wolf came.", 60, 700))] * 3
    with pytest.raises(ReadingError, match=words):
        parse(build_pdf(pages), where="x")
    assert parse(build_pdf(pages[:2]), where="x").chapters


NAMES = b"<< /Differences [33 %s] >>" % b" ".join(b"/g%d" % index for index in range(33, 120))
BUILT_IN = b"<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+Wolf >>"
FIRST_USE = {letter: index for index, letter in enumerate(dict.fromkeys(LONG), start=33)}


def set_codes(codes, *, size=2):
    """A page of one line of codes."""
    return (
        b"BT /F1 11 Tf 60 500 Td <%s> Tj ET"
        % b"".join(code.to_bytes(size, "big") for code in codes).hex().encode()
    )


@pytest.mark.parametrize(
    ("font", "page"),
    [
        (BUILT_IN.replace(b">>", b"/Encoding %s >>" % NAMES), set_codes(map(FIRST_USE.get, LONG), size=1)),
        (BUILT_IN, set_codes(map(FIRST_USE.get, LONG), size=1)),
        (IDENTITY, set_codes(0xE000 + ord(letter) for letter in LONG)),
        (IDENTITY, set_codes(300 + ord(letter) for letter in LONG)),
        (IDENTITY, set_codes(3000 + 37 * ord(letter) for letter in LONG)),
        (IDENTITY, set_codes(32 if letter == " " else ord(letter) - 29 for letter in LONG)),
    ],
    ids=["names", "order of use", "private use", "phonetic letters", "mixed scripts", "constant shift"],
)
def test_letters_that_the_fonts_do_not_name_are_refused(font, page):
    with pytest.raises(ReadingError, match="do not say which letters") as caught:
        parse(build_pdf([page], font=font), where="wolf.pdf")
    assert "ocrmypdf" in caught.value.remedy


def test_codes_that_happen_to_be_letters_are_read():
    document = parse(build_pdf([set_codes(map(ord, LONG.strip()))], font=IDENTITY), where="x")
    assert document.chapters[0].text == LONG.strip()


def test_ligatures_become_letters():
    page = set_codes(map(ord, "The wolf was o\ufb03cially \ufb02eet, and \ufb01rst of all."))
    assert texts(page, font=IDENTITY) == ["The wolf was officially fleet, and first of all."]


HALF = TIMES.replace(b">>", b"/FirstChar 32 /LastChar 122 /Widths [250 %s] >>" % (b"500 " * 90))
"""A font whose letters are all half as wide as they are high, and twice as wide as a space."""


@pytest.mark.parametrize(
    ("operators", "text"),
    [
        (b"[(W)135(A)135(VES came and A)120(VA)]TJ", "WAVES came and AVA"),
        (b"[(the)-250(wolf)-180(came)-400(in)]TJ", "the wolf came in"),
        (b"0.4 Tc (st) Tj (r) Tj 16.2 0 Td (eam and all the rest) Tj", "stream and all the rest"),
        (b"50 Tz (and the) Tj 16.25 0 Td (re) Tj", "and there"),
        (b"14 TL (and the) ' 1 0 (wolf) \"", "and the wolf"),
        (b"14 TL (They met an Anglo-) Tj T* (Saxon wolf.) Tj", "They met an Anglo-Saxon wolf."),
        (b"(The wolf) Tj Tz 45 0 Td (came.) Tj", "The wolf came."),
    ],
    ids=["kerning", "gaps", "letter spacing", "narrowed letters", "next line", "a hyphen", "no operands"],
)
def test_words_are_kept_together_and_apart(operators, text):
    assert texts(b"BT /F1 10 Tf 60 500 Td %s ET" % operators, font=HALF) == [text]


def test_a_number_of_a_note_is_marked():
    sign = b"BT /F1 6 Tf 119 504 Td (3) Tj ET\n"
    document = parse(build_pdf([set_lines(("A wolf came.", 60, 500)) + b"\n" + sign]), where="x")
    assert [*document.marked] == [("note", "3")]


def test_text_that_runs_up_the_edge_is_furniture():
    document = parse(build_pdf([STAMP + set_lines(("A wolf came.", 60, 500))]), where="x")
    assert [*document.marked] == [("furniture", "arXiv:0000.0000")]
