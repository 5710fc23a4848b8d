"""Reads text with light marks, which stay in it: Markdown, AsciiDoc, Org, and the
subtitles of films.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..structure import first_heading
from .document import Document, RawFile
from .metadata import flat
from .text import text_of

LONGEST_FRONT = 20_000
"""Characters of what is before a text of Markdown in YAML or TOML."""

_FRONT = re.compile(
    r"\A(?P<mark>---|\+\+\+)[ \t]*\n(?P<front>.*?\n)(?P=mark)[ \t]*(?:\n|\Z)", re.DOTALL
)
_ASCIIDOC_TITLE = re.compile(r"(?m)^=[ \t]+(\S[^\n]*)$")
_ASCIIDOC_FIELD = re.compile(r"(?m)^:([\w-]{1,80}):[ \t]+(\S[^\n]*)$")
_ORG_FIELD = re.compile(r"(?mi)^#\+([a-z_]{1,80}):[ \t]+(\S[^\n]*)$")
_ORG = ("title", "author", "date", "language", "description", "keywords", "filetags")
_CUE = re.compile(r"[\d:.,]+[ \t]+-->[ \t]")
_TAG = re.compile(r"<[^<>\n]{1,100}>|\{\\[^{}\n]{1,100}\}")


def markdown(raw: RawFile) -> Iterator[Document]:
    text, metadata = without_front(_lines(text_of(raw)))
    yield Document(
        metadata.pop("title", "") or first_heading(text) or raw.stem,
        text,
        raw.name,
        metadata,
    )


def without_front(text: str) -> tuple[str, dict[str, str]]:
    """A text of Markdown without the YAML (between lines of ---) or TOML (of +++)
    before it, and what that says.
    """
    found = _FRONT.match(text[:LONGEST_FRONT])
    if found is None:
        return text, {}
    values = _yaml(found["front"]) if found["mark"] == "---" else _toml(found["front"])
    if not isinstance(values, Mapping):
        return text, {}
    return text[found.end() :], flat(values)


def asciidoc(raw: RawFile) -> Iterator[Document]:
    text = _lines(text_of(raw))
    title = _ASCIIDOC_TITLE.search(text)
    header = text[title.start() :].partition("\n\n")[0] if title else ""
    yield Document(
        title[1] if title else first_heading(text, "asciidoc") or raw.stem,
        text,
        raw.name,
        flat(dict(_ASCIIDOC_FIELD.findall(header))),
    )


def org(raw: RawFile) -> Iterator[Document]:
    text = _lines(text_of(raw))
    metadata = flat(
        {
            name.lower(): value
            for name, value in _ORG_FIELD.findall(text[:LONGEST_FRONT])
            if name.lower() in _ORG
        }
    )
    yield Document(
        metadata.pop("title", "") or first_heading(text, "org") or raw.stem,
        text,
        raw.name,
        metadata,
    )


def captions(raw: RawFile) -> Iterator[Document]:
    """What is said, without numbers and times; a line that is repeated, as in captions
    that roll, is reported once.
    """
    said: list[str] = []
    for block in re.split(r"\n[ \t]*\n", _lines(text_of(raw))):
        lines = block.strip("\n").split("\n")
        at = next(
            (number for number, line in enumerate(lines) if _CUE.match(line.strip())),
            None,
        )
        if at is None:
            continue  # the head, a note, a style
        for line in lines[at + 1 :]:
            text = _TAG.sub("", line).strip()
            if text and text not in said[-2:]:
                said.append(text)
    yield Document(raw.stem, "\n".join(said), raw.name)


def _lines(text: str) -> str:
    if "\r" in text:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _yaml(text: str) -> Any:
    import yaml

    class Loader(yaml.BaseLoader):
        """Values as they are written: 3.10 stays 3.10.

        There are no aliases: with those, a few lines are a thousand million values.
        """

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError
            return super().compose_node(parent, index)

    try:
        return yaml.load(text, Loader)  # noqa: S506
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _toml(text: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None
