"""Fine-tuning: a language model that knows how the stories of some texts go."""

from barthes.finetuning.memory import ask_for_large_pages

ask_for_large_pages()  # before torch makes a tensor
