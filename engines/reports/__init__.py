"""Presents figures: documents, and the formats in which they are written."""
