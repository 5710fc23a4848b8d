"""The only door to language models.

Engines ask a role; the line-up says who answers.
"""
