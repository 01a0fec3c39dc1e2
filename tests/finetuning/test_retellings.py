from barthes.finetuning.retellings import find_retellings
from barthes.finetuning.training_text import TrainingText

FILLER = [
    "The king rode out and came home again with the queen.",
    "The king sat down with the queen and ate.",
]
TEXTS = [TrainingText(f"book: Tale {word}", f"{line} {word}") for line in FILLER for word in ("one", "two")]


def test_rare_words_tell_a_retelling():
    told = TrainingText(
        "book: A Bargain", "The king met Vertodub and Usynya by the copper palace of the gnome."
    )
    other = TrainingText("x: Three Men", "Vertodub went with Usynya, and the gnome shut the copper palace.")
    (found,) = find_retellings([*TEXTS, told], [other])
    assert (found.text, found.other) == ("book: A Bargain", "x: Three Men")
    assert found.sign.startswith("rare words")


def test_common_words_do_not():
    assert find_retellings(TEXTS, [TrainingText("x", "The king and the queen.")]) == []


def test_a_file_name_is_no_title():
    first, second = TrainingText("tale", "A wolf came."), TrainingText("tale", "It rained hard.")
    assert find_retellings([first], [second]) == []
