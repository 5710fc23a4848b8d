"""Detects the language of a case."""

from __future__ import annotations

import re

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD = re.compile(r"[^\W\d_]+")


def is_chinese(text: str) -> bool:
    """Return True if a text has at least as many Chinese characters as words in other
    scripts.
    """
    others, count = _HAN.subn(" ", text)
    return count > 0 and count >= len(_WORD.findall(others))
