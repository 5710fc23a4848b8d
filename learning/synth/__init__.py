"""Synthesizes training data from the judgements of models and people. Reaches methods
through the port.
"""
