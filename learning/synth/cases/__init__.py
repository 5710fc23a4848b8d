"""Training data from pairs of cases with levels (the relevance paper, section 3.4)."""
