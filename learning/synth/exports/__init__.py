"""Training data in the formats of other tools."""
