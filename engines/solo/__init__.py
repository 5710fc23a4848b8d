"""One model answers alone: the baseline that the other methods have to beat."""
