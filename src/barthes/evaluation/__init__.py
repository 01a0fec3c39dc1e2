"""How good a ranking is: metrics, tests of significance, and the paper's experiments."""
