"""Profiles as people and programs want them: tables in the terminal, TSV, CSV, JSON."""
