from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from barthes.report.file_names import FileNames


@given(st.lists(st.text(max_size=20) | st.sampled_from(["a/b", "../A", "b.txt", "C:\\tales\\b", ".", "b-2"])))
def test_every_title_gets_a_name_of_its_own_that_stays_in_its_folder(titles):
    names = FileNames()
    given_names = [names.choose(title) for title in titles]
    assert len({name.lower() for name in given_names}) == len(titles)
    for name in given_names:
        assert 0 < len(name) <= 110
        assert not set(name) & set('/\\:*?"<>|\0\n')
        assert not name.startswith(".")


def test_names_that_are_reserved_are_not_given():
    names = FileNames()
    names.reserve(["Wolf"])
    assert names.choose("wolf.txt") == "wolf-2"
