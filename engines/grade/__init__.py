"""Grade: one prompt gives the level of relevance, 0 to 3: a baseline for judgements in
stages.
"""
