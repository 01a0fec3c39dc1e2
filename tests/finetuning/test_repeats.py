from hypothesis import given
from hypothesis import strategies as st

from barthes.finetuning.repeats import drop_repeats
from barthes.finetuning.training_text import TrainingText

WORDS = "wolf well crane miller king crown bread goose barn moon snow coal roof door hill fire".split()
STORY = " ".join(f"{WORDS[i * i % 16]} {WORDS[i * 7 % 16]} {WORDS[i // 5 % 16]} {i:b}x" for i in range(80))


def test_a_second_printing_is_dropped():
    printings = [TrainingText("first", STORY), TrainingText("second", STORY.replace("goose", "gander", 2))]
    kept, notes = drop_repeats(printings)
    assert [story.name for story in kept] == ["first"]
    assert notes == ("second was left out: first tells it in the same words.",)


def test_short_stories_that_differ_stay():
    stories = [TrainingText("a", "The wolf came."), TrainingText("b", "The wolf went.")]
    assert drop_repeats(stories) == (tuple(stories), ())


@given(st.lists(st.text("ab c", min_size=1, max_size=40), max_size=12))
def test_what_is_kept_is_kept_in_order_and_once(texts):
    stories = [TrainingText(str(index), text) for index, text in enumerate(texts)]
    kept, notes = drop_repeats(stories)
    assert len(kept) + len(notes) == len(stories)
    assert list(kept) == [story for story in stories if story in kept]
    assert drop_repeats(kept) == (kept, ())


def test_a_short_near_copy_is_dropped_though_few_of_its_runs_are_sampled():
    words = STORY.split()
    for length in range(20, 160):  # some have just enough sampled runs where their copies have too few
        whole = TrainingText("whole", " ".join(words[:length]))
        cut = TrainingText("cut", " ".join(words[: length - 3]))
        for pair in ([whole, cut], [cut, whole]):
            assert drop_repeats(pair)[0] == (pair[0],), length
