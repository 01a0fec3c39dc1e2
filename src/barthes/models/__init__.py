"""Language models: the protocol, transformers, the embedded default, and a small model that counts."""
