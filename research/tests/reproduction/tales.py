"""Tales of ours as Story Workbench files, small enough to work out by hand."""

from __future__ import annotations

import json

from barthes.models.counting import CountingModel
from barthes_research.corpora import ProppLearner

TAGS = dict.fromkeys("came ate ran slept died married rained".split(), "VBD") | {".": ".", "the": "DT"}

WOLF = (
    ["the wolf came .", "the girl slept .", "the wolf ate the sheep .", "it rained ."],
    {0, 2},
)
KING = (
    ["a king slept .", "the girl came .", "the king married the girl .", "the king died .", "it rained ."],
    {2, 3},
)
SHEEP = (
    ["the sheep ran .", "the wolf ran .", "the sheep ate .", "then it rained .", "the wolf slept ."],
    {1},
)


def write_tale(folder, name, sentences, salient):
    """A `.sty` file with tokens, tags, sentences and one function a salient sentence."""
    layers = {"parsing.token": [], "parsing.pos": [], "parsing.sentence": [], "semantics.rep.function": []}
    position, number = 0, 1

    def describe(layer, offset, length, text):
        nonlocal number
        layers[layer].append(f'<desc id="{number}" len="{length}" off="{offset}">{text}</desc>')
        number += 1
        return number - 1

    for index, sentence in enumerate(sentences):
        start, tokens = position, []
        for word in sentence.split():
            token = describe("parsing.token", position, len(word), word)
            describe("parsing.pos", position, len(word), f"{token} {TAGS.get(word, 'NN')}")
            tokens.append(token)
            position += len(word) + 1
        describe("parsing.sentence", start, len(sentence), "~".join(map(str, tokens)))
        if index in salient:
            describe("semantics.rep.function", start, len(sentence), f"A{index}|ACTUAL:{tokens[1]}")
    text = " ".join(sentences)
    reps = "".join(f'<rep id="edu.mit.{name}">{"".join(items)}</rep>' for name, items in layers.items())
    raw = f'<rep id="edu.mit.story.char"><desc id="0" len="{len(text)}" off="0">\n{text}\n</desc></rep>'
    (folder / f"{name}.sty").write_text(f"<story>{raw}{reps}</story>", encoding="utf-8")


def write_corpus(folder):
    folder.mkdir(exist_ok=True)
    for number, (sentences, salient) in enumerate([WOLF, KING, SHEEP], start=1):
        write_tale(folder, f"story{number}", sentences, salient)
    return folder


def read_corpus(folder):
    return ProppLearner(write_corpus(folder))


def write_stories(path, texts):
    path.write_text("".join(json.dumps({"story": text}) + "\n" for text in texts), encoding="utf-8")
    return path


class AskedModel(CountingModel):
    """Counts how many texts it has read, and can be told to fail like an interrupted process."""

    def __init__(self, texts, *, patience=None, **options):
        super().__init__(texts, **options)
        self.reads = 0
        self.patience = patience

    def read(self, tokens):
        self.reads += 1
        if self.patience is not None and self.reads > self.patience:
            raise KeyboardInterrupt
        return super().read(tokens)
