"""LoRA adapters as language models, and the folktale adapter."""
