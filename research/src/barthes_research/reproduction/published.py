"""The figures that Otake et al. (2020) publish about their system, with their places in the paper.

Table 1 is `barthes.corpora.propplearner.TABLE_1`. The paper is licensed under CC BY 4.0.
"""

from __future__ import annotations

from dataclasses import dataclass

PROPOSED = ("sd", "va", "paa")
"""The paper's own methods."""

FINE_TUNINGS = (None, "domain", "transductive")
"""Its language models: GPT-2 without fine-tuning, fine-tuned on BookCorpus, fine-tuned on ProppLearner."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of Table 2: the method, whether TF-IDF is added, the fine-tuning of the model, and MAP.

    Attributes:
        dagger: Whether it is marked as a significant improvement over random (Wilcoxon, p < 0.05).
        bold: Whether it is marked as the best of the proposed methods alone.
        bold_italic: Whether it is marked as the best of the combinations.
    """

    method: str
    map: float
    dagger: bool = True
    tfidf: bool = False
    fine_tuning: str | None = None
    bold: bool = False
    bold_italic: bool = False

    @property
    def is_proposed(self) -> bool:
        """Whether it needs a language model."""
        return self.method in PROPOSED


TABLE_2 = (
    PublishedRow("random", 0.213, dagger=False),
    PublishedRow("position", 0.277),
    PublishedRow("position-desc", 0.185, dagger=False),
    PublishedRow("tfidf", 0.279),
    PublishedRow("sd", 0.261),
    PublishedRow("sd", 0.265, fine_tuning="domain"),
    PublishedRow("sd", 0.280, fine_tuning="transductive", bold=True),
    PublishedRow("sd", 0.294, tfidf=True),
    PublishedRow("sd", 0.301, tfidf=True, fine_tuning="domain", bold_italic=True),
    PublishedRow("sd", 0.295, tfidf=True, fine_tuning="transductive"),
    PublishedRow("va", 0.245, dagger=False),
    PublishedRow("va", 0.258, fine_tuning="domain"),
    PublishedRow("va", 0.219, fine_tuning="transductive", dagger=False),
    PublishedRow("va", 0.286, tfidf=True),
    PublishedRow("va", 0.287, tfidf=True, fine_tuning="domain"),
    PublishedRow("va", 0.266, tfidf=True, fine_tuning="transductive"),
    PublishedRow("paa", 0.254),
    PublishedRow("paa", 0.258, fine_tuning="domain"),
    PublishedRow("paa", 0.266, fine_tuning="transductive", dagger=False),
    PublishedRow("paa", 0.285, tfidf=True),
    PublishedRow("paa", 0.295, tfidf=True, fine_tuning="domain"),
    PublishedRow("paa", 0.301, tfidf=True, fine_tuning="transductive", bold_italic=True),
)
"""Table 2, section 4: mean average precision on ProppLearner."""

RANDOM_SEEDS = 10
"""Caption of Table 2: number of seeds of the random row."""

RANDOM_SD = 0.015
"""Caption of Table 2: the standard deviation of the random row over its seeds."""

PERPLEXITY_SPEARMAN = {"sd": -1.0, "va": -0.5, "paa": -1.0}
"""Section 4.2, “Effect of fine-tuning”: Spearman's ρ of MAP and perplexity over the three models."""

BEST_AGAINST_TFIDF = 0.21
"""Section 4.2, “Combining …”: Wilcoxon's p of the best combination (SD, BookCorpus) against TF-IDF alone."""

ORDERING = 1.0
"""Appendix A.1: how often the tale is likelier than the same tale with its sentences shuffled."""

ORDERING_PERMUTATIONS = 80
"""Appendix A.1: permutations per tale; 1,200 pairs in all."""

DELETION = 0.94
"""Appendix A.3: how often σ > 0 in ROCStories, in its 2016 Spring (45,495) and 2017 Winter (52,664) sets."""


@dataclass(frozen=True, slots=True)
class PublishedSentence:
    """A sentence of the toy story, whether the authors call it salient, and its σ by SD with GPT-2."""

    text: str
    salient: bool
    salience: float


CINDERELLA = (
    PublishedSentence("Cinderella draws water from a well.", False, 0.193),
    PublishedSentence(
        "A fairy godmother appears and provides Cinderella with clothes, a carriage, and a coachman.",
        True,
        0.309,
    ),
    PublishedSentence("Cinderella goes to the ball.", True, 0.214),
    PublishedSentence(
        "Cinderella greets her stepsisters at the venue, but they do not notice.", False, -0.014
    ),
    PublishedSentence("The prince falls in love with Cinderella.", True, 0.394),
    PublishedSentence("Cinderella marries the prince.", True, -0.112),
)
"""Appendix C, first table."""

CINDERELLA_INFLUENCE = (
    (None, None, None, None, None, None),
    (0.562, None, None, None, None, None),
    (0.807, 0.876, None, None, None, None),
    (0.087, 0.257, 0.296, None, None, None),
    (0.175, 0.274, 0.034, -0.111, None, None),
    (0.139, -0.113, 0.220, 0.082, 0.394, None),
)
"""Appendix C, second table: row i, column j is the loss of S_i in nats per token when S_j is removed."""
