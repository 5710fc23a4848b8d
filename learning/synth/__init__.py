"""Training data made from judgements of models and people.

Methods come through the port.
"""
