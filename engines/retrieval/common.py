"""Tells words of content from numbers, dates and common words."""

from __future__ import annotations

import math
import re
from functools import cache
from importlib.resources import files

from .tokeniser import STOP_WORDS, fold, is_cjk

COMMON = 1 / 30
"""A Chinese word that is in at least this part of all documents is common."""
_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千万亿余多几数第年月日时分许元]+")


def is_content(word: str) -> bool:
    """True for a word of the index that is no number, date, single character or common
    word.
    """
    if any(character.isdigit() for character in word):
        return False
    if is_cjk(word):
        return (
            len(word) > 1
            and word not in common_words()
            and _NUMBER.fullmatch(word) is None
        )
    return len(word) > 1 and word not in function_words()


@cache
def common_words() -> frozenset[str]:
    """Common Chinese words, by their document frequency in the list that comes with
    jieba (270,000 words).
    """
    least = math.log(1 / COMMON)
    found = set()
    with (files("jieba") / "analyse" / "idf.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, _, frequency = line.partition(" ")
            if len(frequency) < 20 and float(frequency) < least:
                found.add(word)
    return frozenset(found)


@cache
def function_words() -> frozenset[str]:
    """English words without meaning of their own, as an index has them."""
    return frozenset(map(fold, STOP_WORDS.split()))
