"""Keys never reach a message, a log or a session."""

from __future__ import annotations

import re
from collections.abc import Mapping

HIDDEN = "[key hidden]"

_SHAPED = re.compile(
    r"(?:\b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|fw|csk|pplx|tgp)[-_][A-Za-z0-9*][A-Za-z0-9_*.-]{7,}|\bAIza[A-Za-z0-9_-]{20,}|(?i:\bbearer)\s+\S{8,})"
)
_NAMED = re.compile(r"(?:_API_KEY|_TOKEN|_SECRET|_ACCESS_KEY)$")


def looks_like_key(text: str) -> bool:
    """True if a string has the shape of a provider's key."""
    return _SHAPED.search(text) is not None


def without_keys(text: str, env: Mapping[str, str], key: str | None = None) -> str:
    """The text with everything hidden that is `key`, has a key's shape or is the value of a key variable (`*_API_KEY` and the like)."""
    for value in (key or "", *(value for name, value in env.items() if _NAMED.search(name))):
        if len(value) >= 6:
            text = text.replace(value, HIDDEN)
    return _SHAPED.sub(HIDDEN, text)
