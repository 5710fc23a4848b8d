"""CoV-RAG: retrieve, answer with citations, verify, revise the query, and repeat."""
