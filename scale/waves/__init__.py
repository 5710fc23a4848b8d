"""Calls at batch prices: the next calls of all sessions are sent as one file, and the
replies return as another.
"""
