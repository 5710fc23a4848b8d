"""Reads notebooks of Jupyter: their text and code, without what the code printed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ....texts import t
from ..structure import first_heading
from .document import Document, RawFile, unreadable
from .metadata import flat
from .shortfall import compare
from .text import text_of


def notebook(raw: RawFile) -> Iterator[Document]:
    try:
        value = json.loads(text_of(raw))
    except (ValueError, RecursionError):
        raise unreadable("wrong.documents.notebook") from None
    cells = list(_cells(value))
    if not isinstance(value, Mapping) or (
        "cells" not in value and "worksheets" not in value
    ):
        raise unreadable("wrong.documents.notebook")
    about = value.get("metadata")
    about = about if isinstance(about, Mapping) else {}
    language = _named(about, "language_info", "name") or _named(
        about, "kernelspec", "language"
    )
    parts = [
        f"```{language}\n{text}\n```" if kind == "code" else text
        for kind, text in cells
        if text.strip()
    ]
    compare(raw, _sources(value), "\n".join(parts))
    metadata = flat(
        {
            "language": language,
            "kernel": _named(about, "kernelspec", "display_name"),
            "authors": _authors(about),
        }
    )
    title = about.get("title") if isinstance(about.get("title"), str) else ""
    title = title or next(
        (
            found
            for kind, text in cells
            if kind == "markdown" and (found := first_heading(text))
        ),
        "",
    )
    yield Document(title or raw.stem, "\n\n".join(parts), raw.name, metadata)


def _cells(value: Any) -> Iterator[tuple[str, str]]:
    """Kind and text of each cell, also of notebooks of the third format."""
    if not isinstance(value, Mapping):
        return
    sheets = value.get("worksheets")
    sheets = [value, *(sheets if isinstance(sheets, list) else [])]
    for sheet in sheets:
        listed = sheet.get("cells") if isinstance(sheet, Mapping) else None
        for cell in listed if isinstance(listed, list) else []:
            if isinstance(cell, Mapping):
                source = cell.get("source", cell.get("input", ""))
                text = (
                    "".join(line for line in source if isinstance(line, str))
                    if isinstance(source, list)
                    else source
                )
                if isinstance(text, str):
                    yield str(cell.get("cell_type", "")), text


def _sources(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """The words of each source, wherever cells are, with their places."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in ("source", "input"):
                listed = inner if isinstance(inner, list) else [inner]
                yield place, "".join(one for one in listed if isinstance(one, str))
            elif name not in ("outputs", "metadata"):
                yield from _sources(inner, place)
    elif isinstance(value, list):
        for number, one in enumerate(value, 1):
            yield from _sources(one, place or t("wrong.documents.cell_place", n=number))


def _named(about: Mapping[str, object], group: str, name: str) -> str:
    within = about.get(group)
    found = within.get(name) if isinstance(within, Mapping) else None
    if isinstance(found, str) and found.isprintable():
        return found
    return ""


def _authors(about: Mapping[str, object]) -> list[str]:
    listed = about.get("authors")
    if isinstance(listed, list):
        return [str(one.get("name", "")) for one in listed if isinstance(one, Mapping)]
    return []
