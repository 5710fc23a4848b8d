"""Machine against people's labels: what its figures are worth, and what they become
when they are corrected.
"""
