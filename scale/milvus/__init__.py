"""Corpora on a Milvus server: the same words, the same ranking as an index on disk."""
