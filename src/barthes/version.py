"""The version of Barthes, in one place."""

__version__ = "0.1.0"
