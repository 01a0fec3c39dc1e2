"""A small labelled corpus, and a language model that counts its calls."""

from __future__ import annotations

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Annotation, SentenceAnnotation, Token
from barthes.evaluation.corpus import LabelledNarrative, StoryCollection
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative

WOLF = ("A wolf came to the village.", "It rained.", "The wolf ate the sheep.", "The sky was grey.")
KING = ("The king had a daughter.", "She fell ill.", "The cook made some soup with leeks.")
MILL = ("The mill stood by the river.", "One night it burned.", "The miller wept.", "Then he left.")


def tale(name, sentences, salient):
    narrative = Narrative.from_sentences(sentences, title=name)
    return LabelledNarrative(name, narrative, tuple(k in salient for k in range(len(narrative))))


STORIES = (tale("wolf", WOLF, {0, 2}), tale("king", KING, {1}), tale("mill", MILL, {1, 3}))


class Tales(StoryCollection):
    name = "tales"
    labelling = "ours"

    def __init__(self, *stories, problems=()):
        super().__init__(stories or STORIES, problems, where="tales", remedy="Write some.")


class LabelledEventTales:
    """The tales with labels for events: those whose predicate is among these verbs are salient."""

    name = "tales"
    labelling = "verbs"
    unit = "event"
    problems = ()
    annotate = None
    tokenize = None

    def __init__(self, verbs=("came", "ate", "fell", "burned", "left")):
        self._verbs = verbs

    def __iter__(self):
        for story in STORIES:
            events = annotate(story.narrative).verbal_events
            labels = tuple(event.predicate.text in self._verbs for _, event in events)
            yield LabelledNarrative(story.name, story.narrative, labels, events=events)

    def __len__(self):
        return len(STORIES)


class EventTales(Tales):
    """The tales with labels for sentences and for events."""

    @property
    def events(self):
        return LabelledEventTales()


class AnnotatedTales(Tales):
    """The same with an annotation of their own: one word a sentence, and one tag."""

    tag = "VBD"

    def annotate(self, narrative):
        return Annotation(
            tuple(SentenceAnnotation((Token(s.start, s.start + 1, s.text[0], self.tag),)) for s in narrative)
        )

    def tokenize(self, narrative):
        return [sentence.text.split() for sentence in narrative]


class CountingCalls(CountingModel):
    """Counts how many texts it was asked to tokenise."""

    def __init__(self, **options):
        super().__init__([" ".join(WOLF)], **options)
        self.calls = 0

    def encode(self, pieces):
        self.calls += 1
        return super().encode(pieces)
