"""Computes agreement between raters, quality of rankings and sameness of answers.

No model, no screen, no numpy.
"""
