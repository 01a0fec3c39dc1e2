"""Fine-tune a language model on stories."""
