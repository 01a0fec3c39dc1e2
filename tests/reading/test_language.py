"""Whether a story is in the language that it is read in, where nobody said which."""

import pytest

from barthes.reading import read

GERMAN = """Es war einmal eine arme Witwe, die lebte einsam in einem Haus am Wald, und vor dem Haus war
ein Garten,
darin standen zwei junge Bäume."""
DUTCH = """Er was eens een koning die een dochter had, en ze was zo mooi dat de zon zelf zich verwonderde als
hij in haar gezicht scheen."""
ENGLISH = """There was once a poor widow who lived in a lonely cottage, and in front of it was a garden
in which two
young trees stood, one white and one red."""


@pytest.mark.parametrize(
    ("story", "doubted"), [(GERMAN, True), (DUTCH, True), (ENGLISH, False), ("Wolf. Sheep. Rain.", False)]
)
def test_a_story_that_nobody_called_english_is_looked_at(tmp_path, story, doubted):
    path = tmp_path / "story.txt"
    path.write_text(story, encoding="utf-8")
    assert any("does not look like English" in note for note in read(path).notes) == doubted
    assert not any("English" in note for note in read(path, language="en").notes)
