"""Barthes inside other programs."""
