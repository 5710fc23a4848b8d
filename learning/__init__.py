"""Training data made of sessions, training, and encoders.

The core reaches it only through entry points (`verifytui.plugins`).
"""
