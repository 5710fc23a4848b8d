"""Makes text from outside harmless for a terminal.

Widgets and terminals pass control characters through: ESC sequences move the cursor,
set titles and fill the clipboard; bidirectional controls make text read differently
from what it says, and characters that nobody sees can carry a whole message to a model.
Every sink that is a terminal shows `clean(text)`; the session keeps the original.
"""

from __future__ import annotations

import json
from typing import Any

from ..texts.patterns import lazy

_BREAKS = "\r\v\f\x85\u2028\u2029"
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

_HARMFUL = lazy(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")
_BREAK = lazy(f"\r\n|[{_BREAKS}]")
_SURROGATE = lazy("[\ud800-\udfff]")
_AWKWARD = lazy(f"[\x7f-\x9f\u2028\u2029\ufeff{_BIDI}\ud800-\udfff]")
"""C1 and bidirectional controls, odd line ends, lone surrogates."""
_BLANK = lazy("[\n\t]+")


_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-"
    "\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
_JOINED_SCRIPTS = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff"
    "\ufe70-\ufefe"
)
"""Arabic and its kin, the scripts of India, Tibetan, Burmese, Khmer, Mongolian: joiners
shape their letters.
"""
_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_INVISIBLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Zero-width characters, fillers, variation selectors and tag characters."""

_NEEDED = (
    # the flag of a region
    "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
    f"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_JOINED_SCRIPTS}])[\u200c\u200d]"
    f"|(?<=[{_EMOJI}#*0-9])[\ufe0e\ufe0f]"
    f"|(?<=[{_IDEOGRAPHS}])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    "|(?<=[\u1800-\u18af])[\u180b-\u180f]"
    "|\u115f(?=[\u1160-\u11ff])|(?<=[\u1100-\u115f])\u1160"
)
_UNSEEN = lazy(f"[{_INVISIBLE}]")
_HIDDEN = lazy(f"(?P<needed>{_NEEDED})|[{_INVISIBLE}]+")


def clean(text: str, *, newlines: bool = True, mark: str = "") -> str:
    """The text without control characters, bidirectional controls and lone surrogates,
    and with nothing in it that cannot be seen.

    Other line breaks (CR, CRLF, NEL, U+2028 …) become `\\n`. With `newlines=False` the
    result is one line: breaks and tabs become a space.
    A character that is not seen is named, as `U+200B`, but for joiners and selectors
    inside emoji and in scripts that need them.
    `mark` follows each character of such a name, so that a screen can draw it in its
    own way.
    """
    if text.isprintable() and (
        text.replace("…", "").isascii() or not _UNSEEN.search(text)
    ):  # most titles are plain, or plain and cut off
        return text
    text = editable(text, newlines=newlines)
    if not text.isascii() and _UNSEEN.search(text):
        named = _HIDDEN.sub(
            lambda found: found[0] if found["needed"] else _named(found[0], mark), text
        )
        text = text if named == text else named
    return text


def clean_line(text: str) -> str:
    """The clean text as one line: breaks and tabs become a space."""
    return clean(text, newlines=False)


def editable(text: str, *, newlines: bool = True) -> str:
    """The text as an editor may show and give it back: like `clean`, but characters
    that are not seen stay as they are.
    """
    if _HARMFUL.search(text):
        text = _BREAK.sub("\n", text)
        text = _SURROGATE.sub("\ufffd", text)
        text = _HARMFUL.sub("", text)
    if newlines:
        return text
    return _BLANK.sub(" ", text)


def json_line(value: object) -> str:
    """The value as one line of JSON, with its line end.

    Characters that a terminal or `splitlines()` would trip over are escaped.
    """
    return (
        _AWKWARD.sub(
            lambda found: f"\\u{ord(found[0]):04x}",
            json.dumps(value, ensure_ascii=False, default=str),
        )
        + "\n"
    )


def _named(hidden: str, mark: str) -> str:
    name = " ".join(f"U+{ord(char):04X}" for char in hidden)
    if mark:
        return "".join(char + mark for char in name)
    return name


def scrub(text: str) -> tuple[str, bool]:
    """The text with every lone surrogate turned into U+FFFD, and whether there was one.
    UTF-8 cannot hold them.
    """
    cleaned = _SURROGATE.sub("\ufffd", text)
    return cleaned, cleaned != text


def scrubbed(value: object) -> Any:
    """The same of all texts in plain values, those of keys too."""
    if isinstance(value, str):
        return scrub(value)[0]
    if isinstance(value, dict):
        return {scrubbed(key): scrubbed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [scrubbed(item) for item in value]
    return value
