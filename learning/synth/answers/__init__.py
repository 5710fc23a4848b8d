"""Training data from cited answers and their verification (CoV-RAG, section 2.3)."""
