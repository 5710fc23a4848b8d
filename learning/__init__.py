"""Synthesizes training data from sessions, and trains encoders.

The core reaches this package only through entry points (`verifytui.plugins`).
"""
