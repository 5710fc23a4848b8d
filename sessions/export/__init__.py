"""A session as Markdown, HTML, JSON lines or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...texts import t
from ..errors import BadInput
from ..session import Session

if TYPE_CHECKING:
    from .block import Block

FORMATS = ("md", "html", "jsonl", "csv")


def export(session: Session, to: str, blocks: Sequence[Block] = ()) -> str:
    """The whole session as text in one of FORMATS. CSV starts with a byte-order mark:
    write it as UTF-8.

    `blocks`: the readable form of the session, made by `engines.blocks`; Markdown and
    HTML draw them in the interface's language. Raises: BadInput for an unknown format.
    """
    if to == "md":
        from .markdown import markdown

        return markdown(session, blocks)
    if to == "html":
        from .page import page

        return page(session, blocks)
    if to == "jsonl":
        from .lines import lines

        return lines(session)
    if to == "csv":
        from .table import table

        return table(session)
    raise BadInput(t("wrong.export.unknown", format=to, names=", ".join(FORMATS)))
