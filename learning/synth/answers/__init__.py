"""Answers with citations and their verification as data for training (CoV-RAG, section
2.3).
"""
