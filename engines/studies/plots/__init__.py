"""Plots of a study: one small value, drawn as text of a terminal and as SVG. Neither
needs a library.
"""
