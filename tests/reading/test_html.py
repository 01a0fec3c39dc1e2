from __future__ import annotations

import pytest

from barthes.reading.html import parse, parse_page


def read(body, **options):
    return parse_page(f"<html><body>{body}</body></html>", where="x", **options)


def text(body):
    return read(body).join().text


def test_inline_elements_do_not_part_words_and_blocks_do():
    assert text("<p>O<small>NCE</small> a <b>wo</b>lf\n  came.</p><div>It<span> rained.</span></div>") == (
        "ONCE a wolf came.\n\nIt rained."
    )


def test_breaks_are_verse_and_two_of_them_a_paragraph():
    assert (
        text("<p>Moon and sun,<br>day is done.<br><br>She slept.</p>")
        == "Moon and sun,\nday is done.\n\nShe slept."
    )
    assert (
        text("<pre>Moon and sun,\n  day is done.\n\nShe slept.</pre>")
        == "Moon and sun,\nday is done.\n\nShe slept."
    )


def test_what_is_no_text_is_no_story():
    clutter = (
        "<script>x</script><style>y</style><button>Buy</button><p hidden>z</p><p style='display: none'>w</p>"
    )
    assert text(f"{clutter}<p>A wolf<!-- c --> came.</p><noscript>n</noscript>") == "A wolf came."


def test_quotations_are_quoted_and_initials_read():
    assert (
        text('<p><q>Stop!</q> she cried.</p><p><img alt="T">he wolf.</p>')
        == "“Stop!” she cried.\n\nThe wolf."
    )
    assert text("<p><q>“Stop!”</q> she cried.</p>") == "“Stop!” she cried."


def test_entities_are_letters():
    assert text("<p>M&auml;rchen&nbsp;&mdash; &lt;b&gt; &amp;amp;</p>") == "Märchen — <b> &amp;"


def test_a_page_that_was_laid_out_in_a_table():
    assert text("<table><tr><td>Ads</td><td><p>A wolf came.</p><p>It rained.</p></td></tr></table>") == (
        "Ads\n\nA wolf came.\n\nIt rained."
    )


def test_the_main_part_alone_is_read():
    found = read("<h1>Site</h1><main><h1>The Wolf</h1><p>A wolf came.</p></main><p>Imprint</p>")
    assert (found.title, found.join().text) == ("The Wolf", "A wolf came.")


def test_parts_go_before_the_titles_of_their_chapters():
    chapter = "<h3>{}</h3><p>A wolf came.</p>"
    body = "<h1>Wolves</h1><h2>Part One</h2>{}{}<h2>Part Two</h2>{}".format(*map(chapter.format, "ABC"))
    assert [each.title for each in read(body).chapters] == ["Part One: A", "Part One: B", "Part Two: C"]


def test_a_number_and_a_title_are_one_heading():
    body = "<h2>Chapter I</h2><h2>The Fog</h2><p>It rained.</p>"
    body += "<h2>Chapter II</h2><h2>The Wolf</h2><p>He came.</p>"
    assert [each.title for each in read(body).chapters] == ["Chapter I: The Fog", "Chapter II: The Wolf"]


def test_headings_that_part_nothing_are_counted():
    found = read("<h1>The Wolf</h1><p>A wolf came.</p><h2>Later</h2><p>It rained.</p>")
    assert (len(found.chapters), found.left_out, found.title) == (1, {"heading": 1}, "The Wolf")


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="iso-8859-1">', "cp1252"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', "cp1251"),
        ("", "utf-8"),
        ('<meta charset="klingon">', "utf-8"),
        ('<meta charset="punycode">', "utf-8"),
        ('<meta charset="utf-16">', "utf-8"),
    ],
)
def test_the_page_says_how_it_is_written(head, encoding):
    letters = "Глава" if encoding == "cp1251" else "Bär – naïve"
    page = f"<html><head>{head}</head><body><p>{letters}</p></body></html>".encode(encoding)
    assert parse(page, where="x").join().text == letters


def test_markup_in_the_text_stays_text():
    assert text("<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>") == "<script>alert(1)</script>"
