"""Rank: several answers to one question are put in order, criterion by criterion."""
