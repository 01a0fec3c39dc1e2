from __future__ import annotations

import pytest

from barthes.errors import EmptyNarrativeError
from tests.reading.parsing import parser

parse = parser(".html")
parse_page = parser(".html")

VERSE = "Moon and sun,\nday is done.\n\nShe slept."


def read(body):
    return parse_page(f"<html><body>{body}</body></html>", where="x")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        # Inline elements do not separate words, and blocks do.
        (
            "<p>O<small>NCE</small> a <b>wo</b>lf\n  came.</p><div>It<span> rained.</span></div>",
            "ONCE a wolf came.\n\nIt rained.",
        ),
        # One break is a line of verse, two are a paragraph.
        ("<p>Moon and sun,<br>day is done.<br><br>She slept.</p>", VERSE),
        ("<pre>Moon and sun,\n  day is done.\n\nShe slept.</pre>", VERSE),
        ("<script>x</script><style>y</style><button>Buy</button><p>A wolf<!-- c -->.</p>", "A wolf."),
        ("<p hidden>z</p><p style='display: none'>w</p><p>A wolf.</p><noscript>n</noscript>", "A wolf."),
        ("<p><q>Stop!</q> she cried.</p><p><q>“Stop!”</q></p>", "“Stop!” she cried.\n\n“Stop!”"),
        ('<p><img alt="T">he wolf <img alt="of old">came.</p>', "The wolf came."),
        ("<p>M&auml;rchen&nbsp;&mdash; &lt;b&gt; &amp;amp;</p>", "Märchen — <b> &amp;"),
        (
            "<table><tr><td>Ads</td><td><p>A wolf came.</p><p>It rained.</p></td></tr></table>",
            "Ads\n\nA wolf came.\n\nIt rained.",
        ),
        ("<h1>Site</h1><main><h1>The Wolf</h1><p>A wolf came.</p></main><p>Imprint</p>", "A wolf came."),
    ],
)
def test_the_text_of_a_page(body, text):
    assert read(body).join().text == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('<p><span class="dropcap">A</span>lice slept.</p>', "Alice slept."),
        ('<p><span class="dropcap">A</span> LICE slept. Alice woke.</p>', "ALICE slept. Alice woke."),
        ('<p><span class="dropcap">A</span> wolf saw a fox.</p>', "A wolf saw a fox."),
        ('<div style="float: left">“A</div><p>LICE slept. Alice woke.</p>', "“ALICE slept. Alice woke."),
        ('<div class="figleft"><img alt="T"></div><p>HE wolf came.</p>', "THE wolf came."),
        ('<div class="figleft"><img alt="T"></div><p>The wolf came.</p>', "The wolf came."),
        ("<p>I</p><p>’VE seen a wolf.</p>", "I’VE seen a wolf."),
        # Numerals and letters that begin another word are left alone.
        ("<p>I</p><p>ONCE a wolf came.</p>", "I\n\nONCE a wolf came."),
        ("<p>I</p><p>N the fog, in the rain.</p>", "IN the fog, in the rain."),
        ("<p>V</p><p>It rained.</p>", "V\n\nIt rained."),
        ("<p>A</p><p>1893</p>", "A\n\n1893"),
    ],
)
def test_drop_caps_are_joined_with_their_words(body, text):
    assert read(body).join().text == text


CHAPTER = "<h3>{}</h3><p>A wolf came.</p>"
PARTS = "<h1>Wolves</h1><h2>Part One</h2>{}{}<h2>Part Two</h2>{}".format(*map(CHAPTER.format, "ABC"))
NUMBERS = "<h2>Chapter I</h2><h2>Fog</h2><p>It rained.</p><h2>Chapter II</h2><h2>Wolf</h2><p>He came.</p>"


@pytest.mark.parametrize(
    ("body", "titles"),
    [
        (PARTS, ["Part One: A", "Part One: B", "Part Two: C"]),
        (NUMBERS, ["Chapter I: Fog", "Chapter II: Wolf"]),
    ],
)
def test_the_titles_of_chapters(body, titles):
    assert [each.title for each in read(body).chapters] == titles


def test_a_page_without_text_is_refused_with_what_was_left_out():
    with pytest.raises(EmptyNarrativeError, match=r"no running text in it \(only furniture\)"):
        read("<nav>Home</nav><aside>Buy wolves.</aside>")


def test_headings_that_divide_nothing_are_counted():
    found = read("<h1>The Wolf</h1><p>A wolf came.</p><h2>Later</h2><p>It rained.</p>")
    assert (len(found.chapters), found.title) == (1, "The Wolf")


LETTER = "<blockquote><p>Come home.</p><footer>Your sister</footer></blockquote>"
FABLE = "<{0}><header><p>To my son</p></header><p>A fox sat.</p><footer><p>Moral: wait.</p></footer></{0}>"
TAGS = '<footer>Posted in <a href="/fables">Fables and tales</a> <a href="/foxes">Foxes</a></footer>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (FABLE.format("article"), "To my son\n\nA fox sat.\n\nMoral: wait."),
        (
            f"<p>A fox sat.</p>{FABLE.format('section')}",
            "A fox sat.\n\nTo my son\n\nA fox sat.\n\nMoral: wait.",
        ),
        (f"<p>She read:</p>{LETTER}", "She read:\n\nCome home.\n\nYour sister"),
        (FABLE.format("div"), "A fox sat."),
        (
            "<header><h1>The Fox</h1></header><p>A fox sat.</p><footer role='presentation'>1893</footer>",
            "A fox sat.\n\n1893",
        ),
        ("<header role='banner'><h1>Tales.com</h1></header><p>A fox.</p>", "A fox."),
        (f"<article><p>A fox sat.</p>{TAGS}</article>", "A fox sat."),
        (
            f"<header><h1>Tales.com</h1></header><div>{FABLE.format('main')}<aside>Ads</aside></div>"
            "<footer><nav>Home</nav>© 2020</footer><footer></footer><form>Search</form>",
            "To my son\n\nA fox sat.\n\nMoral: wait.",
        ),
    ],
)
def test_only_the_header_and_footer_of_the_page_are_left_out(body, text):
    found = read(body)
    assert found.join().text == text


PROSE = "".join(f"<p>Day {number}: {'the wolf ran on ' * 7}and slept.</p>" for number in range(30))
MENU = "<ul>{}</ul>".format(
    "".join(f'<li><a href="/{n}">A story of wolf number {n}</a></li>' for n in range(200))
)


@pytest.mark.parametrize(
    "body",
    [
        f"<div id='page'>{MENU}<div>{PROSE}</div>{MENU}</div>",
        f"<form method='post'><input name='state'><div>{MENU}{PROSE}</div></form>",
        f"<div class='contents'>{PROSE}</div><div>{MENU}</div>",
        f"<article>Read more wolf stories in our shop.</article><div>{PROSE}</div>",
        f"<main></main><div>{PROSE}</div>",
        f"<footer>{PROSE}</footer>",
        f"<main>{MENU}{PROSE}</main><form><p>Your comment</p><textarea></textarea></form>",
    ],
)
def test_most_of_the_prose_of_a_page_is_read_whatever_its_markup(body):
    text = read(body).join().text
    assert text.count("and slept.") == 30
    assert "wolf number" not in text
    assert "comment" not in text


def test_a_page_that_a_script_shows_is_read():
    assert (
        parse_page("<body style='visibility: hidden'><p>A wolf.</p></body>", where="x").join().text
        == "A wolf."
    )


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
def test_the_declared_encoding_is_used_if_it_is_right(head, encoding):
    letters = "Глава" if encoding == "cp1251" else "Bär – naïve"
    page = f"<html><head>{head}</head><body><p>{letters}</p></body></html>".encode(encoding)
    assert parse(page, where="x").join().text == letters


@pytest.mark.parametrize(
    ("head", "author"),
    [
        ('<meta name="Author" content="Ann\n  Lee">', "Ann Lee"),
        ('<meta name="author"><meta name="author" content="Bob">', "Bob"),
        ('<meta name="author" content="Ann"><meta name="author" content="Bob">', "Ann, Bob"),
        ('<meta name="date" content="2001">', ""),
    ],
)
def test_authors_of_a_page(head, author):
    page = f"<html><head>{head}</head><body><p>A wolf came.</p></body></html>"
    assert parse_page(page, where="x").author == author


@pytest.mark.parametrize(
    ("value", "author"),
    [(" Ann Lee ", "Ann Lee"), ("'Ann'", "Ann"), ("[Ann, Bob]", ""), ("|\n  Ann", ""), ("", "")],
)
def test_authors_in_front_matter(value, author):
    """YAML lists and blocks are not read; they are unknown."""
    text = f"---\nauthor: {value}\ntitle: The Wolf\n---\n\nA wolf came.\n"
    document = parser(".md")(text.encode(), where="x")
    assert (document.author, document.title) == (author, "The Wolf")
