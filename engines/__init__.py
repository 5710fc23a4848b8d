"""The methods.

Nothing here knows a screen, prints, or keeps state between two calls.
"""
