"""Text that is written as Markdown is read as the same text, also after cuts."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from barthes.cutting.shortened import remove_sentences
from barthes.cutting.write_back import escape_markdown, write_back
from barthes.reading import narrate
from barthes.reading.document import tidy
from barthes.reading.scene_breaks import is_scene_break
from tests.reading.parsing import parser

parse = parser(".html")
parse_markdown = parser(".md")

PIECES = [
    *("#", "##", "*", "**", "_", "1984.", "12)", "-", "+", ">", "`", "```", "<b>", "<", "&amp;", "[a](b)"),
    *(
        "[^1]",
        "^[a]",
        "[a]:",
        "\\",
        "~~",
        "=",
        "---",
        "!",
        "wolf",
        "a_b",
        "__",
        "___",
        "__init__",
        "2*3",
        ".",
        "”",
        "\n",
        " ",
        " ",
        " ",
    ),
]
PAGE = """<h1>The *Wolf* of 1984. A tale #</h1>
<h2>Zero</h2><p># 3 won. 1984. That was the year. - Who? He said “So!” 12) He ran.</p>
<h2>1. The _Stars_</h2>
<p>*Stars* fell on the &lt;b&gt;mill&lt;/b&gt; [once](twice). A_B ran. `So` it &amp;amp; was.</p>
<p>#</p>
<p>O come,<br>+ come to the mill!<br>They came.</p>
<h2>Two</h2><p>He slept. > So did she. All ended well.</p>"""


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
@example("My name is ___ and I am ___ years old.")
@example("__init__ and __main__ are a__b, _ and ______.")
def test_any_paragraph_is_read_as_it_was_written(text):
    text = "\n".join(filter(None, tidy(text).split("\n")))
    written = f"The wolf came.\n\n{escape_markdown(text)}\n\nIt slept."
    document = parse_markdown(written.encode(), where="x")
    found = document.join().text.removeprefix("The wolf came.\n\n").removesuffix("It slept.").strip("\n")
    assert found == text or is_scene_break(text)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
def test_any_heading_is_read_as_it_was_written(text):
    text = " ".join(text.split())
    written = f"## {escape_markdown(text, is_heading=True)}\n\nThe wolf came.\n\n## Two\n\nIt slept."
    titles = [chapter.title for chapter in parse_markdown(written.encode(), where="x").chapters]
    assert titles == [text, "Two"] or is_scene_break(text) or not text


def test_a_scene_break_that_is_escaped_is_one():
    page = "<p>A wolf came.</p><p>#</p><p>It rained.</p><p>#</p><p>All slept.</p>"
    story = narrate(parse(page.encode(), where="x"))
    assert remove_sentences(write_back(story), {1}) == "A wolf came.\n\n\\#\n\nAll slept."
    assert remove_sentences(write_back(story), {0}) == "It rained.\n\n\\#\n\nAll slept."


def test_marks_are_written_but_not_shown():
    page = "<h1>1. The *Wolf*</h1><h2>1. One_</h2><p>1984. A wolf came.</p><h2>2) Two</h2><p>It ate.</p>"
    story = narrate(parse(page.encode(), where="x"))
    written = "# 1. The \\*Wolf\\*\n\n## 1. One\\_\n\n1984\\. A wolf came.\n\n## 2) Two\n\nIt ate."
    assert write_back(story).text == written
    shown = story.restore()
    assert shown.text == "1. The *Wolf*\n\n1. One_\n\n1984. A wolf came.\n\n2) Two\n\nIt ate."
    assert [str(each) for each in shown] == [str(each) for each in story]


@given(st.sets(st.integers(0, 15)))
def test_what_is_left_of_a_page_is_read_as_it_was(gone):
    narrative = narrate(parse(PAGE.encode(), where="x"))
    sentences = [str(each) for each in narrative]
    assert len(sentences) > 10
    assert narrative.written_as == "md"
    gone = {k for k in gone if k < len(sentences) - 1}
    again = narrate(parse_markdown(remove_sentences(write_back(narrative), gone).encode(), where="x"))
    left = " ".join(each for k, each in enumerate(sentences) if k not in gone)
    assert " ".join(map(str, again)) == left
    if not gone:
        assert (again.text, again.title) == (narrative.text, narrative.title)
        assert again.chapters == narrative.chapters


def test_what_is_not_text_comes_back():
    """The heading before an initial, and a section that has only stars."""
    page = "<h1>The Wolf</h1><h2>One</h2><p>A</p><p>wolf came. It ate.</p><h2>Pause</h2><hr><p>* * *</p>"
    page += "<h2>Two</h2><p>It rained. It slept.</p><h2>Coda</h2><p>***</p>"
    written = write_back(narrate(parse(page.encode(), where="x"))).text
    assert written == (
        "# The Wolf\n\n## One\n\nA wolf came. It ate.\n\n## Pause\n\n* * *\n\n## Two\n\nIt rained. "
        "It slept.\n\n## Coda\n\n***"
    )
