"""Figures for papers, drawn with matplotlib (the extra ``figures``)."""

from barthes.report.figures.bars import draw_comparison, draw_curve, draw_curves
from barthes.report.figures.canvas import save_figure
from barthes.report.figures.heat_maps import draw_influence, draw_strip

__all__ = ["draw_comparison", "draw_curve", "draw_curves", "draw_influence", "draw_strip", "save_figure"]
