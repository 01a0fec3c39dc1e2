import subprocess
import sys

import pytest

from barthes.baselines.frequencies import DocumentFrequencies

GAP = "\n\n\n\n"


def tell(hero, n=70):
    return " ".join(f"{hero} met stranger {hero}{i}." for i in range(n))


BOOK = GAP.join(
    [
        "Produced by somebody\n\nA BOOK OF TALES",
        "_PREFACE._\n\n" + tell("editor"),
        "CONTENTS\n\n     THE WOLF\n     THE GOAT\n\n" + tell("page"),
        "THE WOLF;\nOR, THE WINTER\n\n[Illustration: a\nwolf]\n\n" + tell("wolf") + "\n\n\nII\n\n_End_.(3)",
        "TO MY FRIEND",
        "The Goat\n\n" + tell("goat"),
        "Notes and References\n\n" + tell("scholar"),
        "THE AFTERTHOUGHT\n\n" + tell("scholar"),
    ]
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tales_are_found_and_the_rest_is_left_out(count_script, newline):
    tales = dict(count_script.split_tales(BOOK.replace("\n", newline)))
    assert list(tales) == ["THE WOLF; OR, THE WINTER", "The Goat"]
    wolf = tales["THE WOLF; OR, THE WINTER"]
    assert wolf.startswith("wolf met stranger wolf0.")
    assert wolf.endswith("End.")
    assert "goat" not in wolf


def test_a_repeated_tale_counts_once(count_script):
    first, other = tell("wolf").split(), tell("goat").split()
    again = ["Once", *first[3:-5], "indeed", "so"]
    assert list(count_script.drop_repeats([first, other, again])) == [first, other]


def test_the_script_writes_the_table(tmp_path, count_script):
    (tmp_path / "book.txt").write_text(BOOK, encoding="utf-8")
    out = tmp_path / "table.tsv.gz"
    command = [sys.executable, count_script.__file__, str(tmp_path), str(out)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "2 tales, 2 distinct, 3 words"
    assert DocumentFrequencies.load(out) == DocumentFrequencies(2, {"met": 2, "stranger": 2, ".": 2})


def test_a_folder_without_tales_is_an_error(tmp_path, count_script):
    out = tmp_path / "table.tsv.gz"
    command = [sys.executable, count_script.__file__, str(tmp_path), str(out)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "no tales found" in run.stderr
    assert not out.exists()
