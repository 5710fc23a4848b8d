"""Makes references from JSON, with the field names that other tools use."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import msgspec

from ...sessions.clean import scrub
from ...sessions.events import Reference
from ..metrics.values import first_in
from ..models.keys import hide

TEXT_NAMES = (
    "text",
    "content",
    "contents",
    "passage",
    "page_content",
    "body",
    "context",
    "snippet",
)
TITLE_NAMES = ("title", "name", "heading")
FILE_NAMES = ("file", "url", "link", "source", "path")
LIST_NAMES = (
    *(
        "passages",
        "references",
        "retrieved_contexts",
        "contexts",
        "results",
        "documents",
        "ctxs",
    ),
    *("source_documents", "source_nodes", "nodes", "docs"),
)
ID_NAMES = ("id", "_id", "id_", "node_id")
METADATA_NAMES = ("metadata", "meta")
SOURCE_NAMES = ("source", "file_path", "url", "path", "file_name")
"""Where the metadata of a document says what it was read from."""
WRAPPERS = ("node", "document", "kwargs")
"""Where an object has the passage itself."""
DEEPEST = 4
"""Wrappings of one passage."""
LONGEST = 100_000
"""Most characters of one reference; a longer one is cut."""


def reference(item: object, n: int, kind: str) -> Reference:
    """One passage as reference number `n`: a text, or an object with any of the names
    above (also `score`, `start`, `end`).

    Documents of LangChain and nodes of LlamaIndex are accepted too, with or without
    their scores. `kind` is the prefix of an id where the item has none. Raises:
    ValueError with the reason in a few words.
    """
    item = unwrapped(item)
    if isinstance(item, str):
        item = {"text": item}
    if not isinstance(item, dict):
        raise ValueError("is neither a text nor an object")
    text = _text(item, TEXT_NAMES)
    if text is None:
        raise WithoutText(f"has no text (looked for {', '.join(TEXT_NAMES)})")
    text = text[:LONGEST]
    given = first_in(item, ID_NAMES)
    own = (
        str(given)
        if isinstance(given, str | int)
        and not isinstance(given, bool)
        and str(given).strip()
        else ""
    )
    start, end = _offset(item.get("start")), _offset(item.get("end"))
    placed = start is not None and end is not None and start <= end
    said = next(
        (
            item[name]
            for name in METADATA_NAMES
            if isinstance(item.get(name), dict) and item[name]
        ),
        None,
    )
    metadata = {} if said is None else _metadata(said)
    return Reference(
        n=n,
        id=scrub(own)[0][:500] or f"{kind}:{digest(text)}",
        title=(_text(item, TITLE_NAMES) or _title(metadata))[:500],
        file=_text(item, FILE_NAMES) or _text(metadata, SOURCE_NAMES),
        start=start if placed else None,
        end=end if placed else None,
        score=number(item.get("score")),
        text=text,
        metadata=metadata or msgspec.UNSET,
    )


class WithoutText(ValueError):
    """A passage has no text."""


def unwrapped(item: object) -> object:
    """Return the passage inside another tool's wrapper: `[DOCUMENT, SCORE]`, `{"node":
    …, "score": …}`, LangChain's own serialisation.
    """
    score: object = None
    for _ in range(DEEPEST):
        if isinstance(item, list) and len(item) == 2 and number(item[1]) is not None:
            item, score = item
            continue
        inner = first_in(item, WRAPPERS, dict) if isinstance(item, dict) else None
        if inner is None:
            break
        score = item.get("score", score) if isinstance(item, dict) else score
        item = inner
    if isinstance(item, dict) and isinstance(item.get("text_resource"), dict):
        item = {"text": item["text_resource"].get("text"), **item}
    if isinstance(item, dict) and score is not None:
        return {**item, "score": score}
    return item


def _metadata(said: dict[Any, Any]) -> dict[str, str]:
    from .documents.metadata import flat

    return {scrub(name)[0]: scrub(value)[0] for name, value in flat(said).items()}


def _title(metadata: dict[str, str]) -> str:
    """`title` of the metadata, or the name of the file that it was read from."""
    return (
        metadata.get("title")
        or (_text(metadata, SOURCE_NAMES) or "").rstrip("/").rpartition("/")[2]
    )


def without_sent(one: Reference) -> tuple[Reference, bool]:
    """The reference without the keys that this process has sent, and whether it had
    any.
    """
    values = {
        name: hide(getattr(one, name) or "") for name in ("id", "title", "file", "text")
    }
    changed: dict[str, object] = {
        name: text for name, (text, altered) in values.items() if altered
    }
    if isinstance(one.metadata, dict):
        told = {name: hide(text) for name, text in one.metadata.items()}
        if any(altered for _, altered in told.values()):
            changed["metadata"] = {name: text for name, (text, _) in told.items()}
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
    if math.isfinite(figure):
        return figure
    return None


def _offset(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53:
        return value
    return None


def _text(item: dict[Any, Any], names: tuple[str, ...]) -> str | None:
    """The first text among the fields that is not blank."""
    for name in names:
        value = item.get(name)
        if isinstance(value, str) and value.strip():
            return scrub(value)[0].strip()
    return None
