"""Reads files into documents: one module a kind of file.

A faulty file gives one sentence.
"""

from .document import Document, RawFile, Unreadable
from .reading import LIMIT, ODD, SUFFIXES, load, markup_of, opened, parse, read
from .rows import TEXT_FIELDS, TITLE_FIELDS
from .streaming import PLAIN, ROWS, LargeText, RowDocuments
from .text import decode

__all__ = [
    "LIMIT",
    "ODD",
    "PLAIN",
    "ROWS",
    "SUFFIXES",
    "TEXT_FIELDS",
    "TITLE_FIELDS",
    "Document",
    "LargeText",
    "RawFile",
    "RowDocuments",
    "Unreadable",
    "decode",
    "load",
    "markup_of",
    "opened",
    "parse",
    "read",
]
