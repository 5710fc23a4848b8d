"""Training data in the forms of other tools."""
