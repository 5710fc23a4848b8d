"""LCR: the relevance of legal cases, judged in stages with matched demonstrations."""
