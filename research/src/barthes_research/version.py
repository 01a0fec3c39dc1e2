"""The version of the lab, the same as that of Barthes."""

__version__ = "0.1.0"
