"""Guesses the encoding of a text that is not UTF-8, from the letters it would
contain.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_KANA = re.compile("[\u3041-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u4e00-\u9fff]")
_COMMON_HAN = re.compile(
    "[\u7684\u4e00\u662f\u4e0d\u4e86\u5728\u4eba\u6709\u6211\u4ed6\u8fd9\u9019\u4e2a"
    "\u500b\u4eec\u5011\u4e2d\u6765\u4f86\u4e0a\u5927\u4e3a\u70ba\u548c\u56fd\u570b"
    "\u5730\u5230\u4ee5\u8bf4\u8aaa\u65f6\u6642\u8981\u5c31\u51fa\u4f1a\u6703\u53ef"
    "\u4e5f\u4f60\u5bf9\u5c0d\u751f\u80fd\u800c\u5b50\u90a3\u5f97\u4e8e\u65bc\u4e0b"
    "\u81ea\u4e4b\u5e74\u8fc7\u904e\u53d1\u767c\u540e\u5f8c\u4f5c\u91cc\u88e1\u7528"
    "\u9053\u884c\u6240\u7136\u5bb6\u4e8b\u6210\u65b9\u591a\u7ecf\u7d93\u4e48\u9ebc"
    "\u53bb\u6cd5\u5b66\u5b78\u5982\u90fd\u540c\u73b0\u73fe\u5f53\u7576\u6ca1\u6c92]"
)
_CYRILLIC = re.compile("[\u0430-\u044f\u0451]")
_MIXED = re.compile("[a-zA-Z][\u0410-\u044f]|[\u0410-\u044f][a-zA-Z]")
"""A word of two scripts."""
_LATIN = re.compile("[a-zA-Z]")
_ACCENTED = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u0152\u0153]")
_TYPOGRAPHIC = re.compile(
    "[\u2018-\u201e\u2020-\u2022\u2026\u2013\u2014\u20ac\u2122\u00a0-\u00bf]"
)


class _Guess(NamedTuple):
    score: float
    """Share of the letters beyond ASCII that speak for it, weighed by how rarely they
    come about by chance.
    """
    name: str


def guess(sample: bytes, *, cut_off: bool = False) -> str:
    """The encoding of a text that is not UTF-8, as Python calls it; "" where none fits.

    `cut_off`: the sample may end within a character.
    """
    if b"\0" in sample:
        return _of_two_bytes(sample)
    found = []
    for name in ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", *_SINGLE):
        text = _decoded(sample, name, cut_off=cut_off)
        if text is not None:
            found.append(_Guess(_score(text, name), name))
    best = max(found, default=_Guess(0, ""))
    return best.name if best.score >= _LEAST else ""


_SINGLE = ("koi8_r", "cp1251", "cp1252")
_LEAST = 0.3


def _decoded(sample: bytes, name: str, *, cut_off: bool) -> str | None:
    for shorter in range(4 if cut_off else 1):
        try:
            return sample[: len(sample) - shorter].decode(name)
        except UnicodeDecodeError:
            continue
    return None


def _score(text: str, name: str) -> float:
    beyond = [letter for letter in text if letter > "\x7f"]
    if not beyond:
        return 0
    said = "".join(beyond)

    def share(pattern: re.Pattern[str]) -> float:
        return len(pattern.findall(said)) / len(said)

    if name in ("gb18030", "big5hkscs"):
        # Japanese has kana at the same places as Chinese sets have them
        japanese = share(_KANA) > 0.1
        return 0 if japanese else min(1.0, share(_HAN) * share(_COMMON_HAN) * 6)
    if name in ("cp932", "euc_jp"):
        kana, han = share(_KANA), share(_HAN)
        return min(1.0, 3 * kana) * (kana + han) * (1 if share(_COMMON_HAN) else 0.9)
    if name == "cp949":
        return share(_HANGUL) ** 3 * (1.0 if " " in text else 0.6)
    if name in ("koi8_r", "cp1251"):
        mixed = len(_MIXED.findall(text))
        return share(_CYRILLIC) ** 2 if mixed * 5 < len(said) else 0
    words = len(_LATIN.findall(text))
    western = share(_ACCENTED) + share(_TYPOGRAPHIC)
    return 0.9 * western**4 if len(said) < words / 2 else 0


def _of_two_bytes(sample: bytes) -> str:
    """UTF-16 without a mark: one of two bytes is mostly zero, or all are letters."""
    half = len(sample) // 2
    zeros = sample[0 : 2 * half : 2].count(0), sample[1 : 2 * half : 2].count(0)
    name = "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
    most, least = max(zeros), min(zeros)
    if not half or least * 20 > most:
        return ""
    try:
        text = sample[: 2 * half].decode(name)
    except UnicodeDecodeError:
        return ""
    letters = sum(letter.isalnum() or letter.isspace() for letter in text)
    return name if letters * 10 >= len(text) * 7 and "\0" not in text else ""
