"""Finds phrases that two cases share, with their places in both, for a reader.

No figure depends on them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from ..retrieval.tokeniser import CJK, STOP_WORDS, fold

SIGNS = 4
"""Characters of a Chinese phrase, at least, of which as many must carry meaning."""
WORDS = 2
"""Words with a meaning of their own in a phrase of a language with spaces, at least."""
MOST = 64
"""Places of one beginning that are followed up: what is in a text more often than
this tells nothing.
"""

_TOKEN = re.compile(
    f"[{CJK}]|\\d+(?:[.,]\\d+)*|[^\\W_{CJK}]+(?:['\u2019][^\\W_{CJK}]+)*|[^\\w\\s]"
)
_CJK = re.compile(f"[{CJK}]")
_LETTERS = re.compile(f"[^\\W\\d_{CJK}]{{2,}}")
_IDLE = re.compile(
    "中华人民共和国|刑法|刑事诉讼法|第?[一二三四五六七八九十百零〇]+[条款项年月日"
    "时分]|被告人|被害人|犯罪嫌疑人|公诉机关|检察机关|人民检察院|检察院"
    "|人民法院|本院认为|本院|法院|公安机关|公安局|派出所|辩护人|上诉人|证人|某"
    "某?|指控|起诉书?|提起公诉|经审理查明|审理|查明|上述事实|证据|证言"
    "|律师事务所|律师|辩护|合议庭|开庭|进行|出庭|支持公诉|到庭|参加|诉讼|终结|适"
    "用|程序|独任|书记员|审判员|审判长|检察员|指派|代理|羁押|逮捕|拘留|取保候审"
    "|执行|折抵|刑期|判处|有期徒刑|拘役|罚金|人民币|上诉|提出|副本|书面|从轻|减"
    "轻|处罚|刑事责任|刑事|民事|责任|有关|相关|法律|解释|若干|问题|最高|犯罪|所"
    "得|没收|如实"
    "|供述|辩解|陈述|笔录|鉴定意见|予以证实|证实|证明|判决如下|判决|裁定|依法|依"
    "照|规定|根据|构成|行为|罪名|事实|清楚|充分|确实|无异议|异议"
    "|年|月|日|时|分许|许|左右|期间|当日|同"
    "日|后|的|了|在|与|和|及|并|其|于|至|从|对|将|把|被|为|以|等|而|且|或|有|又|是|该|此|由|到|向|上|下|中|内|人"
)
"""Chinese words that are in every judgment, or have no meaning of their own."""
_IDLE_WORDS = frozenset(
    f"{STOP_WORDS} defendant plaintiff victim court case prosecution charged "
    f"alleged appellant respondent said did".split()
)


class SharedPhrases(NamedTuple):
    """Places of the shared phrases in both texts, in order: start, and end
    (exclusive).
    """

    one: list[tuple[int, int]]
    other: list[tuple[int, int]]


def shared(one: str, other: str) -> SharedPhrases:
    """Return the longest runs that both texts have: at least 4 meaningful Chinese
    characters, or at least 2 content words.
    """
    first, second = _Words(one), _Words(other)
    return SharedPhrases(list(_places(first, second)), list(_places(second, first)))


class _Words:
    """The words of a text; Chinese, Japanese and Korean by character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[str] = []
        """As they are compared; empty: a sign that no phrase goes beyond."""
        self.places: list[tuple[int, int]] = []
        self.means: list[int] = [0]
        """How many wide signs with a meaning are before each character."""
        for found in _TOKEN.finditer(text):
            sign = found[0]
            self.places.append(found.span())
            self.words.append(
                sign
                if sign >= "\u2e80" and _CJK.match(sign)
                else fold(sign)
                if sign[0].isalnum()
                else ""
            )
        idle = bytearray(len(text))
        for found in _IDLE.finditer(text):
            idle[found.start() : found.end()] = b"\1" * (found.end() - found.start())
        self.means += accumulate(
            int(sign >= "\u2e80" and not idle[at] and _CJK.match(sign) is not None)
            for at, sign in enumerate(text)
        )

    def beginning(self, at: int) -> str:
        """Return the words that any phrase starting here includes; empty if no phrase
        can start here.
        """
        word = self.words[at]
        ahead = self.words[at : at + (SIGNS if word >= "\u2e80" else WORDS)]
        if all(ahead) and (len(ahead) == SIGNS or word < "\u2e80"):
            return " ".join(ahead)
        return ""

    def tells(self, start: int, end: int) -> bool:
        """Return whether the characters of a phrase carry enough meaning."""
        wide = self.means[end] - self.means[start]
        if wide >= SIGNS:
            return True
        words = {
            word
            for word in _LETTERS.findall(self.text[start:end].casefold())
            if word not in _IDLE_WORDS
        }
        return len(words) + (wide >= SIGNS // 2) >= WORDS


def _places(own: _Words, other: _Words) -> Iterator[tuple[int, int]]:
    """Yield the longest runs of one text that the other text also has."""
    begun = defaultdict(list)
    for at in range(len(other.words)):
        if beginning := other.beginning(at):
            begun[beginning].append(at)
    words, theirs, at = own.words, other.words, 0
    while at < len(words):
        beginning = own.beginning(at)
        places = begun.get(beginning) if beginning else None
        if not places:
            at += 1
            continue
        end, places = at + 1, [place + 1 for place in places[:MOST]]
        while end < len(words) and (word := words[end]):
            further = [
                place + 1
                for place in places
                if place < len(theirs) and theirs[place] == word
            ]
            if not further:
                break
            places, end = further, end + 1
        start, last = own.places[at][0], own.places[end - 1][1]
        if own.tells(start, last):
            yield start, last
        at = max(
            end - (SIGNS if beginning >= "\u2e80" else WORDS) + 1, at + 1
        )  # a longer phrase that starts in between is found from there
