"""Calls at the price of batches: what all sessions ask next goes out as one file, and
their replies come back as another.
"""
