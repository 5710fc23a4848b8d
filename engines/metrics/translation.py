"""chrF and BLEU of translations against references, as sacrebleu computes them by
default, from 0 to 100.

chrF (Popović 2015): the F-score, with recall twice as weighty as precision, of
character n-grams of 1 to 6, white space removed; of several references the best. BLEU
(Papineni et al. 2002; Post 2018): words as mteval-v13a cuts them, Chinese by
characters; `exp` smoothing; of several references the one closest in length gives the
length. For one sentence BLEU leaves out the orders that it is too short for.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

CHARACTERS, WORDS, BETA = 6, 4, 2
"""Longest n-grams of chrF and of BLEU, and the weight of recall in chrF."""

Tokenizer = Literal["13a", "zh"]
Counts = list[int]
"""Summed over sentences to give the figure of a corpus."""


def tokenizer_for(language: str | None) -> Tokenizer | None:
    """How BLEU cuts a language into words; None for those written without spaces that
    need a segmenter (Japanese, Korean, Thai).
    """
    name = (language or "").casefold()
    if name.startswith(("ja", "ko", "th", "km", "lo", "my")):
        return None
    if name.startswith("zh") or name in ("chinese", "mandarin"):
        return "zh"
    return "13a"


# ------------------------------------------------------------------ chrF


def chrf_counts(answer: str, references: Sequence[str]) -> Counts:
    """For each order: n-grams of the answer, of the reference, and in common; of the
    reference that fits best.
    """
    given = _grams(answer)
    best: Counts = []
    for reference in references:
        counts = [
            number
            for mine, its in zip(given, _grams(reference), strict=True)
            for number in _overlap(mine, its)
        ]
        if not best or chrf_of(counts) > chrf_of(best):
            best = counts
    return best


def _grams(text: str) -> list[Counter[str]]:
    joined = "".join(text.split())
    return [
        Counter(joined[place : place + size] for place in range(len(joined) - size + 1))
        for size in range(1, CHARACTERS + 1)
    ]


def _overlap(mine: Counter[str], its: Counter[str]) -> tuple[int, int, int]:
    return (mine.total() if its else 0), its.total(), (mine & its).total()


def chrf_of(counts: Sequence[float]) -> float:
    """Mean precision and recall over the orders that both sides have, then F."""
    orders = [
        (given, wanted, common)
        for given, wanted, common in zip(*[iter(counts)] * 3, strict=True)
        if given and wanted
    ]
    if not orders:
        return 0.0
    precision: float = sum(common / given for given, _, common in orders) / len(orders)
    recall: float = sum(common / wanted for _, wanted, common in orders) / len(orders)
    if precision + recall:
        return 100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)
    return 0.0


# ------------------------------------------------------------------ BLEU

_MARKS = re.compile(r"([!\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~])")
_POINTS = (
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_CHINESE = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a"
    "\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef])"
)
"""What sacrebleu's `zh` sets apart as a word of its own.

It takes in signs from U+2001 on, dashes and quotation marks among them.
"""


def bleu_counts(answer: str, references: Sequence[str], tokenizer: Tokenizer) -> Counts:
    """Length of the answer and of the reference closest to it, then for each order the
    matches, then the n-grams of the answer.
    """
    given = _words(answer, tokenizer)
    listed = [_words(reference, tokenizer) for reference in references]
    closest = min(
        (len(one) for one in listed), key=lambda size: (abs(size - len(given)), size)
    )
    matches, totals = [], []
    for size in range(1, WORDS + 1):
        mine, its = _runs(given, size), Counter[tuple[str, ...]]()
        for one in listed:
            its |= _runs(one, size)
        matches.append((mine & its).total())
        totals.append(mine.total())
    return [len(given), closest, *matches, *totals]


def _runs(words: list[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(
        tuple(words[place : place + size]) for place in range(len(words) - size + 1)
    )


def _words(text: str, tokenizer: Tokenizer) -> list[str]:
    if tokenizer == "zh":
        line = _CHINESE.sub(r" \1 ", text.strip())
    else:
        line = (
            text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        )
        for entity, sign in (
            ("&quot;", '"'),
            ("&amp;", "&"),
            ("&lt;", "<"),
            ("&gt;", ">"),
        ):
            line = line.replace(entity, sign)
        line = f" {line} "
    line = _MARKS.sub(r" \1 ", line)
    for pattern, spaced in _POINTS:
        line = pattern.sub(spaced, line)
    return line.split()


def bleu_of(counts: Sequence[float], effective: bool = False) -> float:
    """Brevity penalty times the geometric mean of the precisions.

    An order without a match counts as half, a quarter, … of one.
    """
    given, wanted, matches, totals = (
        counts[0],
        counts[1],
        counts[2 : 2 + WORDS],
        counts[2 + WORDS :],
    )
    if not any(matches):
        return 0.0
    logs = []
    halved = 1.0
    for match, total in zip(matches, totals, strict=True):
        if not total:
            break
        halved *= 1 if match else 2
        logs.append(math.log(match / total if match else 1 / (halved * total)))
    if len(logs) < WORDS and not effective:
        return 0.0
    penalty = 1.0 if given >= wanted else math.exp(1 - wanted / given)
    return 100 * penalty * math.exp(sum(logs) / len(logs))
