"""Access to language models.

Engines ask a role; the line-up maps the role to a model.
"""
