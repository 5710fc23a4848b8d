"""Encoders on disk: texts to vectors, block by block.

Only one file imports torch, and only when it is needed.
"""
