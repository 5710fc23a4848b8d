"""Figures of agreement between raters and of rankings, and the files they are computed from. No model, no screen, no numpy."""
