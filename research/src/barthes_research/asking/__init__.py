"""The method `ask`: a language model is asked how important each sentence is.

It belongs to the lab because it answers a question of research ("why not just ask a chat model?"), depends on
the wording of a prompt, and has not been shown to help; see docs/explanation/why-not-ask.md.
"""
