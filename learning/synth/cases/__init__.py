"""Pairs of cases with levels as data for training (the relevance paper, section
3.4).
"""
