"""Shorten stories: cut the sentences that the rest misses least."""
