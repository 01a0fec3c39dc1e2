"""Content hashes."""

from pathlib import Path

from barthes.annotation.events import Annotation, SentenceAnnotation, Token
from barthes.hashing import hash_bytes, hash_content, hash_file
from barthes_research.corpora.tale import read_tale

CRANE = Path(__file__).parents[1] / "research" / "tests" / "corpora" / "data" / "crane1.sty"


def test_different_annotations_have_different_hashes():
    def annotation(tag):
        return Annotation((SentenceAnnotation((Token(0, 1, "A", tag),)), SentenceAnnotation()))

    assert hash_content(annotation("DT").to_dict()) == hash_content(annotation("DT").to_dict())
    assert hash_content(annotation("DT").to_dict()) != hash_content(annotation("NN").to_dict())


def test_a_tale_knows_the_hash_of_its_annotation():
    tale = read_tale(CRANE.read_bytes(), name=CRANE.name)
    assert tale.annotation_hash == hash_content(tale.annotation.to_dict())
    assert tale.annotation_hash is tale.annotation_hash


def test_files_are_hashed_as_sha256sum_does(tmp_path):
    path = tmp_path / "abc"
    path.write_bytes(b"abc")
    assert hash_file(path) == hash_bytes(b"abc")
    assert hash_bytes(b"abc").startswith("ba7816bf8f01cfea414140de5dae2223")
