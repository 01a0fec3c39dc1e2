"""Reproduce the experiments of Otake et al. (2020), and show our figures beside the published ones."""
