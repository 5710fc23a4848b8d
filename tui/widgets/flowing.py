"""A reply as one text among others: read as Markdown, broken into lines when drawn."""

from __future__ import annotations

from textual.content import Content, Span

from ...sessions.prose import read
from .line_layout import unbroken
from .prose_view import LOOKS


def flowing(text: str, style: str = "", width: int = 0) -> Content:
    """Returns a text with its marks dimmed; tables are in columns where `width` has
    room for them.

    The text must have gone through `clean`.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    at = 0
    for part in read(text):
        for line in unbroken(part, width):
            for piece, bits in line:
                end = at + len(piece)
                spans += [
                    Span(at, end, look) for bit, look in LOOKS if bits & bit and piece
                ]
                pieces.append(piece)
                at = end
            pieces.append("\n")
            at += 1
    shown = "".join(pieces[:-1])
    return Content(
        shown,
        [
            *(
                [
                    Span(
                        0,
                        len(shown),
                        style,
                    )
                ]
                if style and shown
                else []
            ),
            *spans,
        ],
    )
