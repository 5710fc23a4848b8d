"""The source texts of an event that can be copied, as they were written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...sessions.clean import editable
from ...sessions.events import Event
from ...sessions.prose.reader import read
from ...sessions.prose.structure import Code, ProseLine, ProseTable
from ...texts import t


class SourceText(NamedTuple):
    """A text, and what it is called in a list."""

    name: str
    text: str


def sources(event: Event | None, before: Sequence[Event]) -> list[SourceText]:
    """Returns all that can be copied of an event: its text first, then each piece of
    code in it, each table as Markdown, each reference that it cites or found.

    `before`: the events up to it.
    """
    said = getattr(event, "text", None) or getattr(event, "answer", None) or ""
    text = editable(said)
    found = [SourceText(t("play.copy_all"), text)] if text else []
    for part in read(text):
        if isinstance(part, Code):
            found.append(_named("code", _written(part.lines[1:-1])))
        elif isinstance(part, ProseTable):
            found.append(_named("table", _written(part.lines)))
    references = {
        one.n: one for each in before for one in getattr(each, "references", ())
    }
    for n in getattr(event, "citations", None) or ():
        if n in references:
            one = references[n]
            found.append(_named("citation", editable(f"[{n}] {one.title}\n{one.text}")))
    return found


def _named(kind: str, text: str) -> SourceText:
    first = text.partition("\n")[0]
    return SourceText(t(f"play.copy_{kind}", first=first), text)


def _written(lines: Sequence[ProseLine]) -> str:
    return "\n".join("".join(span.text for span in line.spans) for line in lines)
