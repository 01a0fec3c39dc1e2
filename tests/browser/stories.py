"""Stories for the browser: a short one, a long one, and one that means harm."""

from __future__ import annotations

from tests.tiny_models import WORDS

TALE = """A wolf came. The king slept and the girl ran.

The wolf ate a sheep! The sheep died. Then the king came and the wolf ran.
It rained. The girl married the king."""

_WORDS = [word for word in WORDS if word.isalpha()]
LONG_TALE = "\n".join(
    " ".join(_WORDS[(3 * i + 7 * j) % len(_WORDS)] for j in range(12)) + " ." for i in range(4_000)
)
"""So many sentences, one a line, that even a tiny model needs a good while."""

EVIL = """<img src=x onerror="window.top.pwned = 2"> said the wolf.

"><script>window.top.pwned = 1</script> said 'the' girl. </script></iframe></title><b>The king</b> ran.
{{ 7 * 7 }} &lt;b&gt; `${1}` \\u003cb\\u003e javascript:alert(1) was all that "they" found.
It rained --> <!-- twice."""
