"""Doubts about a set of demonstrations: heuristics that complement the format errors
found while reading.
"""
