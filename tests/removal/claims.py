"""What VA and PAA make of sentences that we wrote: (sentence, VA, PAA), read by spaCy."""

CLAIMS = [
    ("The wolf ate the goat.", "The wolf did the goat.", "Someone did something."),
    ("The wolf had eaten the goat.", "The wolf did done the goat.", "Someone did done something."),
    ("The goat was eaten by the wolf.", "The goat be done by the wolf.", "Something be done by someone."),
    ("The door opened.", "The door did.", "Something did."),
    ("She began to sing.", "She did to do.", "Someone did to do."),
    ("My sister loves your brother.", "My sister does your brother.", "Someone does something."),
    (
        "The fox came back and took the bread.",
        "The fox did back and did the bread.",
        "Someone did back and did something.",
    ),
    (
        "Seeing the wolf, the girl climbed a tree.",
        "Doing the wolf, the girl did a tree.",
        "Doing something, someone did something.",
    ),
    (
        "There was a king who had three sons.",
        "There be a king who did three sons.",
        "There be someone who did something.",
    ),
    (
        "The old woman told them that the king was dead.",
        "The old woman did them that the king be dead.",
        "Someone did them that something be something.",
    ),
    (
        "Hoping that their gifts would please him, they bowed.",
        "Doing that their gifts would do him, they did.",
        "Doing that someone would do something, someone did.",
    ),
    (
        "The woman asked whether the bridge had fallen.",
        "The woman did whether the bridge did done.",
        "Someone did whether something did done.",
    ),
    (
        '"Open the door," said the wolf.',
        '"Do the door," did the wolf.',
        '"Do something," did someone.',
    ),
    (
        "“I’m the wolf’s brother,” he said, “and I’ve eaten nothing.”",
        "“I be the wolf’s brother,” he did, “and I do done nothing.”",
        "“Something be something,” someone did, “and someone do done something.”",
    ),
    ('"Why?" asked the king.', '"Why?" did the king.', '"Something?" did someone.'),
    ("Moon, light my way!", "Moon, do my way!", "Someone, do something!"),
    (
        "The old man's sons didn't believe him.",
        "The old man's sons didn't do him.",
        "Someone didn't do something.",
    ),
    (
        "The three brothers' horses were stolen while they slept.",
        "The three brothers' horses be done while they did.",
        "Something be done while someone did.",
    ),
    (
        "A three-headed dragon guarded the burning bridge.",
        "A three-done dragon did the doing bridge.",
        "Someone did something.",
    ),
    ("She wasn't asleep.", "She be not asleep.", "Something be not asleep."),
    ("THE WOLF ATE THE GIRL.", "THE WOLF DID THE GIRL.", "SOMEONE DID SOMETHING."),
    ("He could not go.", "He could not do.", "Someone could not do."),
    ("Snow fell, and it rained.", "Snow did, and it did.", "Something did, and it did."),
    ("No trace of them, alas.", "No trace of them, alas.", "No trace of them, alas."),
]
