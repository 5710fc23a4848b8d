"""A session as Markdown, HTML, JSON lines or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import BadInput
from ..session import Session

if TYPE_CHECKING:
    from .blocks import Block

FORMATS = ("md", "html", "jsonl", "csv")


def export(session: Session, to: str, more: Sequence[Block] = ()) -> str:
    """The whole session as text in one of FORMATS. CSV begins with a byte-order mark, so write it as UTF-8. BadInput for another format.

    `more`: what has been worked out from the session, for people: it stands in Markdown and HTML only.
    """
    if to == "md":
        from .markdown import markdown

        return markdown(session, more)
    if to == "html":
        from .page import page

        return page(session, more)
    if to == "jsonl":
        from .lines import lines

        return lines(session)
    if to == "csv":
        from .table import table

        return table(session)
    raise BadInput(f"There is no export to {to!r}; choose one of {', '.join(FORMATS)}.")
