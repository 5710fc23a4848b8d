"""The marks between which text from outside is in a prompt."""

from __future__ import annotations

import hashlib


def mark(about: str, *texts: str) -> str:
    """Ten characters that occur neither in `about` nor in the other texts.

    They are made from `about` alone: prompts that begin with the same text begin with
    the same mark, whatever follows, and servers find that beginning in their caches.
    Where a text holds the mark, another one is made, so nobody can close an enclosure
    by guessing.
    """
    made = hashlib.sha256(about.encode("utf-8", "replace")).hexdigest()[:10]
    while any(made in text for text in (about, *texts)):
        made = hashlib.sha256(made.encode()).hexdigest()[:10]
    return made
