"""The words that distinguish a case from others: no single characters, no names, no
words that occur in many cases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from ...retrieval.tokeniser import STOP_WORDS, Tokeniser, fold, is_cjk

COMMON = 0.05
"""Share of the cases from which on a word is common among cases and tells nothing of
one.
"""
FEWEST = 3
"""Cases that have a common word at least, however few there are; and groups in whose
reasons a word is one of comparison.
"""

ORDINARY = 1200
"""Count in the corpus of jieba's dictionary from which a word is too common to be
informative.
"""

_COMPARING = (
    "事实 人员 一人 二人 两人 多人 数人 他人 一次 两次 多次 一名 两名 一点 一些 一"
    "只 几个 只是 就是 这一 那一 一致 同一 相近 过程 结果 "
    "被害 无罪 致死 应对 别无他法 心存侥幸 guilt incident aside failed scene "
    "proves 途中 "
    "able make made part long unless shown written spoken used taken given done "
    "kept left held come came went only even still never"
)
_STOP = frozenset(map(fold, f"{STOP_WORDS} {_COMPARING}".split()))
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_LAW = re.compile(
    r"\u300a[^\u300b]*\u300b|\u7b2c\d+[\u6761\u6b3e\u9879]|(?:Act|Order|Code) "
    r"\d{4}|(?:sections?|s|ss|articles?|schedule) \d+[\w()]*"
    r"|(?<![A-Za-z0-9])[ML]\d{1,2}(?![A-Za-z0-9])",
    re.IGNORECASE,
)
"""Numbers that name a law, or a fact."""


class CaseTokenizer:
    """Splits cases and reasons into words.

    Pass the `cases`, and the `reasons` joined by group: words that occur in many of
    them are common.
    """

    def __init__(self, cases: Iterable[str], reasons: Iterable[str] = ()) -> None:
        self._tokeniser = Tokeniser("jieba")
        self.pairs = lru_cache(maxsize=4096)(
            lambda text: tuple(self._tokeniser.pairs(text))
        )
        counted = [self._all(text) for text in dict.fromkeys(cases)]
        counts = Counter(word for words in counted for word in words)
        most = max(FEWEST, COMMON * len(counted))
        comparing = Counter(
            word for text in dict.fromkeys(reasons) for word in self._all(text)
        )
        self._common = frozenset(
            word for word, count in counts.items() if count >= most
        )
        self._comparing = frozenset(
            word for word, count in comparing.items() if count >= FEWEST
        )

    def telling(self, text: str) -> dict[str, str]:
        """Return the distinctive words as an index has them, each with its first
        written form.
        """
        found: dict[str, str] = {}
        for raw, word in self.pairs(text):
            if _tells(word) and word not in self._common and not raw[0].isupper():
                found.setdefault(word, raw)
        return found

    def story(self, reason: str) -> dict[str, str]:
        """Return the words of a reason that describe what happened, not how cases
        compare.
        """
        return {
            word: raw
            for word, raw in self.telling(reason).items()
            if word not in self._comparing and word not in _ordinary()
        }

    def near(self, one: str, other: str) -> float:
        """Return how similar the distinctive words of two texts are, 0 to 1 (Dice)."""
        mine, theirs = self.telling(one).keys(), self.telling(other).keys()
        if mine and theirs:
            return 2 * len(mine & theirs) / (len(mine) + len(theirs))
        return 0.0

    def has(self, text: str, word: str, raw: str) -> bool:
        """Return whether a text contains a word, also inside a longer one."""
        return raw.casefold() in text.casefold() or word in self._all(text)

    def _all(self, text: str) -> frozenset[str]:
        return frozenset(word for _, word in self.pairs(text))


@cache
def _ordinary() -> frozenset[str]:
    """The ordinary words of Chinese."""
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        return frozenset()
    lines = (Path(spec.origin).parent / "dict.txt").read_text("utf-8").splitlines()
    parts = (line.split(" ") for line in lines)
    return frozenset(
        part[0]
        for part in parts
        if len(part) > 1 and part[1].isdigit() and int(part[1]) >= ORDINARY
    )


def numbers(text: str) -> list[str]:
    """Return the numbers of a text without thousands separators. Numbers of laws and of
    facts are excluded.
    """
    return [found.replace(",", "") for found in _NUMBER.findall(_LAW.sub(" ", text))]


def _tells(word: str) -> bool:
    if is_cjk(word):
        return len(word) > 1 and "\u67d0" not in word and word not in _STOP
    return len(word) > 3 and word not in _STOP and not word[0].isdigit()
