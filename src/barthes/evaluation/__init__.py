"""Metrics, significance tests, and the evaluation of methods on labelled corpora."""
