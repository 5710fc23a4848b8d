"""Measures: what is counted of one session, as pure functions of (session, item).

Comparisons, studies and reports are folds over them.
"""
