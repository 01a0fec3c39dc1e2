"""The experiments of Otake et al. (2020), one file a table, and all of them in one run."""
