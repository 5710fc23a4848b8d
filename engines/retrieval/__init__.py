"""Finds passages for a query: in the user's documents, on the web, through a server, or
in given references.
"""
