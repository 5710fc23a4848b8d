"""Corpora on a Milvus server, with the same words and the same ranking as an index on
disk.
"""
