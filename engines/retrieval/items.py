"""Makes references from JSON, with the field names that other tools use."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import msgspec

from ...sessions.clean import scrub
from ...sessions.events import Reference
from ..models.keys import hide

TEXT_NAMES = ("text", "content", "contents", "passage", "page_content", "body", "context", "snippet")
TITLE_NAMES = ("title", "name", "heading")
FILE_NAMES = ("file", "url", "link", "source", "path")
LIST_NAMES = ("passages", "references", "retrieved_contexts", "contexts", "results", "documents", "ctxs")
LONGEST = 100_000
"""Most characters of one reference; a longer one is cut."""


def reference(item: object, n: int, kind: str) -> Reference:
    """One passage, a string or an object with any of the names above (also `id`, `score`, `start`, `end`), as reference number `n`.

    `kind` begins the id where the item has none.
    Raises: ValueError, which says in a few words what is wrong.
    """
    if isinstance(item, str):
        item = {"text": item}
    if not isinstance(item, dict):
        raise ValueError("is neither a text nor an object")
    text = _text(item, TEXT_NAMES)
    if text is None:
        raise ValueError(f"has no text (looked for {', '.join(TEXT_NAMES)})")
    text = text[:LONGEST]
    given = item.get("id", item.get("_id"))
    own = str(given) if isinstance(given, str | int) and not isinstance(given, bool) and str(given).strip() else ""
    start, end = _offset(item.get("start")), _offset(item.get("end"))
    placed = start is not None and end is not None and start <= end
    return Reference(
        n=n,
        id=scrub(own)[0][:500] or f"{kind}:{digest(text)}",
        title=(_text(item, TITLE_NAMES) or "")[:500],
        file=_text(item, FILE_NAMES),
        start=start if placed else None,
        end=end if placed else None,
        score=number(item.get("score")),
        text=text,
    )


def without_sent(one: Reference) -> tuple[Reference, bool]:
    """The reference without the keys that this process has sent, and whether it had any."""
    values = {name: hide(getattr(one, name) or "") for name in ("id", "title", "file", "text")}
    changed = {name: text for name, (text, altered) in values.items() if altered}
    return msgspec.structs.replace(one, **changed), bool(changed)


def digest(text: str) -> str:
    """A short name for a text: the same text, the same name."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def number(value: object) -> float | None:
    """A finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        figure = float(value)
    except OverflowError:
        return None
    return figure if math.isfinite(figure) else None


def _offset(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


def _text(item: dict[Any, Any], names: tuple[str, ...]) -> str | None:
    """The first text among the fields that is not blank."""
    for name in names:
        value = item.get(name)
        if isinstance(value, str) and value.strip():
            return scrub(value)[0].strip()
    return None
