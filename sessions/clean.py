"""Text from outside, made harmless for a terminal.

Widgets and terminals pass control characters through: ESC sequences move the cursor, set titles and fill the clipboard; bidirectional
controls make text read differently from what it says. Every sink that is a terminal shows `clean(text)`; the session keeps the original.
"""

from __future__ import annotations

import re

_BREAKS = "\r\v\f\x85\u2028\u2029"
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

_HARMFUL = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")
_BREAK = re.compile(f"\r\n|[{_BREAKS}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANK = re.compile("[\n\t]+")


def clean(text: str, *, newlines: bool = True) -> str:
    """The text without control characters, bidirectional controls and lone surrogates.

    Other line breaks (CR, CRLF, NEL, U+2028 …) become `\\n`. With `newlines=False` the result is one line: breaks and tabs become a space.
    """
    if _HARMFUL.search(text):
        text = _BREAK.sub("\n", text)
        text = _SURROGATE.sub("\ufffd", text)
        text = _HARMFUL.sub("", text)
    return text if newlines else _BLANK.sub(" ", text)


def scrub(text: str) -> tuple[str, bool]:
    """The text with every lone surrogate turned into U+FFFD, and whether there was one. UTF-8 cannot hold them."""
    cleaned = _SURROGATE.sub("\ufffd", text)
    return cleaned, cleaned != text
