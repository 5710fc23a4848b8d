"""Questions about a corpus, with the passages that answer them."""
