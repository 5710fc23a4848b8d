"""The order in which answers are shown to a judge: by chance, and the same
everywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def shuffled(texts: Mapping[str, str], seed: str) -> list[str]:
    """The names in an order by chance: by the digest of seed, name and text, so that it
    is the same on every machine.
    """
    return sorted(
        texts,
        key=lambda name: hashlib.sha256(
            f"{seed}\0{name}\0{texts[name]}".encode("utf-8", "replace")
        ).digest(),
    )


def presentation_order(
    texts: Mapping[str, str], seed: int, question: str, criterion: str
) -> list[str]:
    """The names of the answers that have a text, as they are ranked by a criterion."""
    there = {name: text for name, text in texts.items() if text.strip()}
    return shuffled(there, f"{seed}\0{question}\0{criterion}")
