"""Figures for papers, drawn with matplotlib (the extra ``figures``)."""

from barthes.report.figures.canvas import save_figure
from barthes.report.figures.curve import draw_curve
from barthes.report.figures.influence_matrix import draw_influence
from barthes.report.figures.mirror import draw_comparison
from barthes.report.figures.strip import draw_strip

__all__ = ["draw_comparison", "draw_curve", "draw_influence", "draw_strip", "save_figure"]
