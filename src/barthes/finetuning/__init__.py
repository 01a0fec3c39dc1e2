"""Fine-tuning: a language model that knows how the stories of some texts go."""
