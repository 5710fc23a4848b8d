"""Reads cases, pairs of cases and labels from files in published formats."""
