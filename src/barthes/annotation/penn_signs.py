"""The signs that tokenizers in the manner of the Penn Treebank write for quotation marks and brackets."""

from __future__ import annotations

__all__ = ["PENN_SIGNS"]

PENN_SIGNS = {"``": '"', "''": '"', "`": "'", "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}
"""What they stand for in the text."""
