"""Profiles and comparisons as self-contained pages: profile, then plain dict, then template."""

from barthes.report.page.html_page import render_cell, render_comparison, render_page

__all__ = ["render_cell", "render_comparison", "render_page"]
