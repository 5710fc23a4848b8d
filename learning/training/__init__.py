"""Trains an encoder.

Needs the extra `train`; nothing of it is imported elsewhere at start-up.
"""
