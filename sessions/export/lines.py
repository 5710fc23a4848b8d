"""JSON lines: the header, then each event.

What `--output json` prints while it happens and what the export to jsonl holds.
"""

from __future__ import annotations

import re

import msgspec

from ..events import Event, plain
from ..session import Header, Session

_AWKWARD = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def header_line(header: Header) -> str:
    """The header as one line of JSON, without a line end."""
    return _line(header)


def event_line(event: Event) -> str:
    """An event as one line of JSON, without a line end."""
    return _line(plain(event))


def lines(session: Session) -> str:
    """Header and events, one a line."""
    return "".join(
        line + "\n"
        for line in (header_line(session.header), *map(event_line, session.events))
    )


def _line(value: msgspec.Struct | dict[str, object]) -> str:
    # Line separators, C1 and bidirectional controls are escaped: the same value, and
    # neither a terminal nor splitlines() trips over it.
    return _AWKWARD.sub(
        lambda match: f"\\u{ord(match[0]):04x}", msgspec.json.encode(value).decode()
    )
