"""Language models: the protocol, transformers, the embedded default, and a small model that counts."""

from barthes.models.processor import spare_broken_tiles

spare_broken_tiles()  # before torch multiplies anything
