"""The words with which replies name requested values, in one table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations

from .announcing import ANNOUNCING, ANNOUNCING_ZH, words
from .fields import REASON_KEYS, plain

_ROWS = (
    "mark token marker code marque marca markierung kennung 标记 记号 标识 令牌",
    " ".join(REASON_KEYS) + " justification why comment comments remark remarks"
    " feedback thoughts notes raison razón motivo begründung grund"
    " 解释 依据 备注 点评 评语",
    "score rating grade level stance assessment evaluation similarity disagreement"
    " punktzahl bewertung puntuación 评分 得分 分数 打分 总分 分值 等级 级别 分歧"
    " 相似度 points value",
    "relevant relevance pertinent relevante 相关 相关性",
    "correct right correcto korrekt richtig 正确 对错",
    "correctness answer_correctness 正确性 正确度 答案正确性",
    "truthful truthfulness truth veracity 真实 真实度 真实性",
    "citation_accuracy citation_acc accuracy_of_citations citations citation 引用准确性"
    " 引用准确度 引用准确率 引用准确",
    "judgement judgment i_judge verdict result ruling conclusion decision 判断 判定 结论"
    " 裁定 裁决 判决",
    "query revised_query revised_question search_query next_query new_query"
    " follow_up_query"
    " search search_for search_again_for 检索词 查询词 查询 改写后的问题",
    "answer ans final_answer correct_answer antwort respuesta réponse 答案 最终答案",
    "decided settled resolved 已决 已决定",
    "preference has_preference 偏好",
    "supported supported_side side_with find_for rule_for winner winning_side side"
    " favour favor supports side_supported support apoyado 支持方"
    " 支持的一方 支持",
    "satisfied 满意",
    "same equal equivalent 相同 一致",
)
"""Each row has words for one thing: the mark, the reason, then values."""
_ROW = {plain(word): row for row, one in enumerate(_ROWS) for word in words(one)}
_ALIKE = {_ROW["correctness"]: _ROW["correct"], _ROW["correct"]: _ROW["correctness"]}
"""Rows whose words are synonyms where only one of the rows is requested."""
_SAYS_NO_MORE = ANNOUNCING | {"score", "value", "token", "text", "acc"}
_SAYS_NO_MORE_ZH = re.compile(
    f"是否|{ANNOUNCING_ZH.pattern}|有|总|综合|整体|得分|分数|值|新"
)
_BRACKETS = re.compile(
    r"\s?[(（](?:[\d\s.,/%–—-]|out|of|from|to|max|scale|points?|mark|满分|分|制)*[)）]?\s*$"
)
_PART = re.compile(
    r"[^\W\d_A-Z\u4e00-\u9fff]+|[A-Z]+(?![a-z])|[A-Z][^\W\d_A-Z]*|[\u4e00-\u9fff]+"
    r"|[^\W_]+"
)


def synonyms(name: str) -> tuple[str, ...]:
    """Words for what has this name in prose, itself first."""
    row = _ROW.get(plain(name))
    others = frozenset[str]() if row is None else words(_ROWS[row])
    return (name, *sorted(others - {name, "points", "value"}))


def member(text: str, members: Iterable[str]) -> str:
    """The member of an enumeration that a text stands for; else the text."""
    said = text.strip(" .。\"'“”*`").casefold()
    for one in members:
        if re.fullmatch(rf"(?:{value_words(one)})(?: side)?", said):
            return one
    return text


def value_words(value: str) -> str:
    """A pattern of the words for a value of an enumeration."""
    return "|".join([re.escape(value.casefold()), *_VALUES.get(value, "").split()])


_VALUES = {
    "affirmative": "the\\saffirmative aff pro proposition 正方 正",
    "negative": "the\\snegative neg con opposition 反方 反",
    "none": "neither(?:\\sside|\\sof\\sthem)? no\\sside nobody 双方[都均皆]不(?:支持)? 两方都不"
    " [都均]不支持 无",
    "true": "yes y 是 对 right correct accurate 真 属实 正确 成立",
    "false": "no n 否 错 不是 不对 wrong incorrect inaccurate 假 不实 不属实 错误 不成立",
    "unclear": "unknown uncertain undecided unsure 不清楚 不确定 不明 无法判断 无法确定",
}
"""Patterns of other words for the values of an enumeration."""


def is_verdict(key: str) -> bool:
    """True for a word for a verdict, which may have one value."""
    return _ROW["verdict"] in _rows(key)


def named(key: str, names: tuple[str, ...]) -> str | None:
    """What a key stands for: one of the names, `mark` or `reason`; None if it is
    unknown, or may be two of them.

    Words that announce say no more: `final_score` is a score, `document_score` none.
    """
    key = _BRACKETS.sub("", key)
    same = [name for name in names if plain(name) == plain(key)]
    return same[0] if same else _meant(key, names)


@lru_cache(maxsize=1024)
def _meant(key: str, names: tuple[str, ...]) -> str | None:
    rows = set(_rows(key))
    for row, name in enumerate(("mark", "reason")):
        if row in rows:
            return name
    for alike in (rows, {_ALIKE[row] for row in rows & _ALIKE.keys()}):
        hits = [name for name in names if _ROW.get(plain(name)) in alike]
        if hits:
            return hits[0] if len(hits) == 1 else None
    return None


def _rows(key: str) -> Iterator[int]:
    """The rows of a key's words, if its other words add no meaning."""
    parts = _PART.findall(key)
    if len(parts) > 6:
        return
    for start, end in combinations(range(len(parts) + 1), 2):
        row = _ROW.get("".join(parts[start:end]).casefold())
        rest = parts[:start] + parts[end:]
        if row is not None and all(map(_says_no_more, rest)):
            yield row
    if len(parts) == 1 and not key.isascii():
        for word, row in _ROW.items():
            if word in key and _says_no_more(key.replace(word, "", 1)):
                yield row


def _says_no_more(part: str) -> bool:
    return part.casefold() in _SAYS_NO_MORE or not _SAYS_NO_MORE_ZH.sub("", part)
