"""The lab of Barthes: the paper's experiments, published corpora, benchmarks and fine-tuning."""

from barthes_research.version import __version__

__all__ = ["__version__"]
