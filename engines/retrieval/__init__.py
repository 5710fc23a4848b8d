"""Finding passages: words, passages, indexes of the user's documents, the web, and whatever else answers a query."""
